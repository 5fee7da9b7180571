import Crypto
import Foundation

/// What Apple answers to a refund, as long as the simulator's; nothing in it is read on the ways that are measured.
enum BenchAnswer {
    private static let transaction = """
        {"transactionId":"200000000000000001","originalTransactionId":"200000000000000001","bundleId":"com.example.bench",\
        "productId":"com.example.bench.generic","purchaseDate":1796036400000,"originalPurchaseDate":1796036400000,\
        "quantity":1,"type":"Non-Consumable","inAppOwnershipType":"PURCHASED","signedDate":1796036400000,\
        "environment":"Production","transactionReason":"PURCHASE","storefront":"DEU","storefrontId":"143443","price":4990,\
        "currency":"EUR","appTransactionId":"700000000000000001","advancedCommerceInfo":{"items":[{"SKU":"audiobook.4711",\
        "price":4990,"description":"x","displayName":"x"}],"requestReferenceId":"1f0c2a52-0000-4000-8000-000000000000"}}
        """

    static func body() throws -> [UInt8] {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let chain = try CertificateChain(validity: (now - 86_400_000)...(now + 86_400_000))
        return Array(#"{"signedTransactionInfo":"\#(chain.sign(Array(transaction.utf8)))"}"#.utf8)
    }
}
