import AppStore
import Crypto
import Foundation
import HTTP

/// Answers every request at once with a 200, without a socket: what is left is what the fleet itself costs.
///
/// Only `BenchWorker` makes one, and that runs on nothing but a bench's own Redis.
struct NullTransport: AppStoreTransport {
    private let answer: HTTPResponse
    private let marks: Int32

    /// - Parameter marks: the file that gets a byte for each request.
    init(marks path: String) throws {
        marks = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard marks >= 0 else { throw BenchFailure("\(path): \(String(cString: strerror(errno)))") }
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let chain = try CertificateChain(validity: (now - 86_400_000)...(now + 86_400_000))
        let signed = chain.sign(Array(Self.transaction.utf8))
        answer = HTTPResponse(status: 200, body: Array(#"{"signedTransactionInfo":"\#(signed)"}"#.utf8))
    }

    /// As long as the simulator's; nothing in it is read on the way that is measured.
    private static let transaction = """
        {"transactionId":"200000000000000001","originalTransactionId":"200000000000000001","bundleId":"com.example.bench",\
        "productId":"com.example.bench.generic","purchaseDate":1796036400000,"originalPurchaseDate":1796036400000,\
        "quantity":1,"type":"Non-Consumable","inAppOwnershipType":"PURCHASED","signedDate":1796036400000,\
        "environment":"Production","transactionReason":"PURCHASE","storefront":"DEU","storefrontId":"143443","price":4990,\
        "currency":"EUR","appTransactionId":"700000000000000001","advancedCommerceInfo":{"items":[{"SKU":"audiobook.4711",\
        "price":4990,"description":"x","displayName":"x"}],"requestReferenceId":"1f0c2a52-0000-4000-8000-000000000000"}}
        """

    func exchange(
        _ request: HTTPRequest, deadline: Duration, mayDepart: @escaping @Sendable () -> Bool
    ) async -> (outcome: HTTPOutcome, timings: HTTPTimings) {
        guard mayDepart() else {
            return (.unsent(HTTPFailure(kind: .notPermitted, message: "too late")), HTTPTimings())
        }
        _ = write(marks, "x", 1)
        return (.response(answer), HTTPTimings())
    }

    func warm(_ url: String) async {}
}
