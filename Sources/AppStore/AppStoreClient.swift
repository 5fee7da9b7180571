package import HTTP
package import Refunds
package import Telemetry

/// Apple's three refund endpoints for one app: one call, one request, one answer. It decides nothing and repeats
/// nothing.
package struct AppStoreClient: Sendable {
    private let baseURL: BaseURL
    private let http: any AppStoreTransport

    /// - Parameter http: Usually an `HTTPClient` made with `HTTPClient.Options.appStore`; apps may share one, for the
    ///   token travels with each request and connections to the same host are then shared, too.
    package init(baseURL: BaseURL, http: any AppStoreTransport) {
        self.baseURL = baseURL
        self.http = http
    }

    /// Sends one body as it is and waits for the answer.
    ///
    /// - Parameters:
    ///   - transactionId: A job's, hence of letters that a path may hold; anything else is answered as unsent.
    ///   - deadline: For everything together: connection, request, answer.
    ///   - mayDepart: Asked on the loop immediately before the request is written; false means that nothing was sent.
    package func send(
        _ operation: Operation, transactionId: String, body: [UInt8], token: Secret<String>, deadline: Duration,
        mayDepart: @escaping @Sendable () -> Bool
    ) async -> AppStoreReply {
        guard Self.isPlain(transactionId) else {
            return AppStoreReply(answer: .unsent("the transactionId can't stand in a path"))
        }
        let request = HTTPRequest(
            method: "POST", url: baseURL.text + operation.path + transactionId,
            headers: [
                ("Authorization", "Bearer " + token.reveal()), ("Content-Type", "application/json"),
                ("Accept", "application/json"),
            ],
            body: body)
        let (outcome, timings) = await http.exchange(request, deadline: deadline, mayDepart: mayDepart)
        return AppStoreReply(outcome, timings: timings)
    }

    /// Makes a connection ready, so that a request in a hurry needs no handshake.
    package func warm() async { await http.warm(baseURL.text) }

    private static func isPlain(_ transactionId: String) -> Bool {
        (1...64).contains(transactionId.utf8.count)
            && transactionId.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension Operation {
    /// Up to the transaction's identifier (Advanced Commerce API: Request Transaction Refund, Revoke Subscription,
    /// Cancel a Subscription).
    fileprivate var path: String {
        switch self {
        case .refund: "/advancedCommerce/v1/transaction/requestRefund/"
        case .revoke: "/advancedCommerce/v1/subscription/revoke/"
        case .cancel: "/advancedCommerce/v1/subscription/cancel/"
        }
    }
}

extension HTTPClient.Options {
    /// How Apple is to be called: no redirect, answers of 1 MiB at most as in Apple's own library, and our name.
    ///
    /// - Parameter caFile: PEM file of authorities that are trusted besides the system's; for a proxy or a simulator.
    package static func appStore(version: String, caFile: String? = nil) -> HTTPClient.Options {
        var options = HTTPClient.Options(caFile: caFile)
        options.userAgent = "kulanz/" + version
        options.maxAnswerBytes = 1 << 20
        return options
    }
}
