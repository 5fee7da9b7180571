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
