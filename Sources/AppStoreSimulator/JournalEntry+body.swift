import Crypto

extension JournalEntry {
    /// Notes what a body says, right or wrong: the journal is for bodies that were refused too.
    mutating func note(body bytes: [UInt8], read body: JSONValue?) {
        bodyHash = Digest.sha256(bytes).hex
        referenceId = body?["requestInfo"]?["requestReferenceId"]?.string
        switch endpoint {
        case .requestRefund: items = body?["items"]?.array?.compactMap(Item.init) ?? []
        case .revoke:
            let type = body?["refundType"]?.string
            items = [Item(sku: Call.wholeSubscription, type: type, reason: body?["refundReason"]?.string)]
        case .cancel, nil: break
        }
        unknownFields = body.map { Self.unknownFields(in: $0, of: endpoint) } ?? []
    }

    private static func unknownFields(in body: JSONValue, of endpoint: Endpoint?) -> [String] {
        let known: Set<String>
        switch endpoint {
        case .requestRefund: known = ["requestInfo", "items", "refundRiskingPreference", "currency", "storefront"]
        case .revoke: known = ["requestInfo", "refundReason", "refundType", "refundRiskingPreference", "storefront"]
        case .cancel: known = ["requestInfo", "storefront"]
        case nil: return []
        }
        let info: Set = ["requestReferenceId", "appAccountToken", "consistencyToken"]
        let item: Set = ["SKU", "refundReason", "refundType", "revoke", "refundAmount"]
        var unknown = names(in: body, besides: known, under: "")
        unknown += names(in: body["requestInfo"], besides: info, under: "requestInfo.")
        for (index, value) in (body["items"]?.array ?? []).enumerated() where endpoint == .requestRefund {
            unknown += names(in: value, besides: item, under: "items[\(index)].")
        }
        return unknown
    }

    private static func names(in value: JSONValue?, besides known: Set<String>, under path: String) -> [String] {
        (value?.members ?? []).filter { !known.contains($0.name) }.map { path + $0.name }
    }
}
