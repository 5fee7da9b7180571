import Foundation

/// Bodies as Apple documents them, with one thing changed at a time.
enum Bodies {
    static func newId() -> String { UUID().uuidString.lowercased() }

    static func refund(
        id: String = newId(), sku: String = "audiobook.4711", type: String = "FULL", amount: Int? = nil,
        reason: String = "FULFILLMENT_ISSUE", revoke: Bool = true
    ) -> String {
        let amount = amount.map { #","refundAmount":\#($0)"# } ?? ""
        return #"{"requestInfo":{"requestReferenceId":"\#(id)"},"items":[{"SKU":"\#(sku)","refundReason":"\#(reason)","#
            + #""refundType":"\#(type)","revoke":\#(revoke)\#(amount)}],"refundRiskingPreference":false,"#
            + #""currency":"EUR","storefront":"DEU"}"#
    }

    static func revoke(id: String = newId(), type: String = "PRORATED", reason: String = "OTHER") -> String {
        #"{"requestInfo":{"requestReferenceId":"\#(id)"},"refundReason":"\#(reason)","refundType":"\#(type)","#
            + #""refundRiskingPreference":true,"storefront":"USA"}"#
    }

    static func cancel(id: String = newId()) -> String {
        #"{"requestInfo":{"requestReferenceId":"\#(id)"},"storefront":"USA"}"#
    }
}
