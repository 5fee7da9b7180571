import Refunds
import Testing

/// Jobs to start from.
enum Example {
    static let production = AppRules(name: "audiobooks", environment: .production)
    static let sandbox = AppRules(name: "audiobooks", environment: .sandbox, allowsRiskingPreference: true)

    /// The job that the contract shows, with its app.
    static let contract = """
        {
          "id": "case-4711",
          "app": "audiobooks",
          "operation": "refund",
          "transactionId": "2000000123456789",
          "request": {
            "items": [
              { "SKU": "audiobook.4711", "refundReason": "FULFILLMENT_ISSUE", "refundType": "CUSTOM",
                "refundAmount": 4990, "revoke": true }
            ],
            "refundRiskingPreference": false,
            "currency": "EUR",
            "storefront": "DEU"
          },
          "amountIncludesTax": true,
          "endsWholeSubscription": false,
          "requestedBy": "agent-17",
          "note": "chapter 9 was silent"
        }
        """

    static let revoke = """
        {"app":"audiobooks","operation":"revoke","transactionId":"2000000123456789","endsWholeSubscription":true,
         "request":{"refundReason":"LEGAL","refundType":"FULL","refundRiskingPreference":false,"storefront":"USA"}}
        """

    static let cancel = """
        {"app":"audiobooks","operation":"cancel","transactionId":"2000000123456789","request":{"storefront":"USA"}}
        """

    static func job(_ text: String, _ rules: AppRules = production) throws -> Job {
        try Job.validate(Array(text.utf8), app: rules).get()
    }
}

extension Example {
    static func violations(_ text: String, _ rules: AppRules = production) -> [Violation] {
        Job.validate(Array(text.utf8), app: rules).violations
    }
}

extension Result where Failure == Violations {
    var violations: [Violation] {
        if case .failure(let violations) = self { violations.all } else { [] }
    }
}

extension Example {
    /// Any valid refund, with fields of every kind there or not.
    static func random(_ random: inout SplitMix) -> JSON {
        let isCustom = Bool.random(using: &random)
        let skus = (0..<Int.random(in: 1...4, using: &random)).map { "sku.\($0)" + JSON.sku(&random) }
        let items = skus.map { sku in
            JSON.object(
                JSONObject([
                    "SKU": .string(sku), "refundReason": .string("OTHER"),
                    "refundType": .string(isCustom ? "CUSTOM" : "FULL"),
                    "refundAmount": isCustom
                        ? .integer(10 * Int64.random(in: 1...900_719_925_474_099, using: &random)) : nil,
                    "revoke": .bool(Bool.random(using: &random)),
                ]))
        }
        let info = JSON.object(
            JSONObject([
                "requestReferenceId": maybe(.string("1F0C2A52-6B0E-4b6e-9d55-3a2f6f1f9a01"), &random),
                "appAccountToken": maybe(.string("9b2b7c0c-7a10-4d77-9f3e-2c1d5a7b8e11"), &random),
                "consistencyToken": maybe(.string("token\n"), &random),
            ]))
        let request = JSON.object(
            JSONObject([
                "items": .array(items), "refundRiskingPreference": .bool(Bool.random(using: &random)),
                "requestInfo": maybe(info, &random), "currency": .string("EUR"), "storefront": .string("DEU"),
            ]))
        return .object(
            JSONObject([
                "app": .string("audiobooks"), "operation": .string("refund"), "transactionId": .string("42"),
                "request": request, "amountIncludesTax": .bool(true),
                "id": maybe(.string("case:1"), &random), "note": maybe(.string(JSON.sku(&random)), &random),
                "priority": maybe(.string("bulk"), &random), "allowRepeat": maybe(.bool(true), &random),
                "notBefore": maybe(.integer(1_796_036_400_000), &random),
                "originalTransactionId": maybe(.string("7"), &random),
            ]))
    }

    private static func maybe(_ json: JSON, _ random: inout SplitMix) -> JSON? {
        Bool.random(using: &random) ? json : nil
    }
}

extension JSON {
    /// Text of any characters but controls.
    static func sku(_ random: inout SplitMix) -> String {
        var text = text(&random)
        text.unicodeScalars.removeAll { $0.properties.generalCategory == .control }
        return text
    }
}
