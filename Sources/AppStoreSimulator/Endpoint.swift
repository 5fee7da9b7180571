/// One of the three calls that this Apple answers.
package enum Endpoint: String, Sendable, Hashable, CaseIterable, Codable {
    case requestRefund
    case revoke
    case cancel

    /// What stands before the transaction identifier, as Apple's endpoint pages print it.
    var pathPrefix: String {
        switch self {
        case .requestRefund: "/advancedCommerce/v1/transaction/requestRefund/"
        case .revoke: "/advancedCommerce/v1/subscription/revoke/"
        case .cancel: "/advancedCommerce/v1/subscription/cancel/"
        }
    }

    /// The call and the transaction identifier that a path names; the identifier may be empty. Nil for any other path.
    static func parse(path: String) -> (endpoint: Endpoint, transactionId: String)? {
        for endpoint in allCases {
            if path.hasPrefix(endpoint.pathPrefix) {
                return (endpoint, String(path.dropFirst(endpoint.pathPrefix.count)))
            }
            if path + "/" == endpoint.pathPrefix { return (endpoint, "") }
        }
        return nil
    }
}
