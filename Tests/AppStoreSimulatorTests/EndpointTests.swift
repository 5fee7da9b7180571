import Testing

@testable import AppStoreSimulator

@Suite struct EndpointTests {
    @Test(arguments: [
        ("/advancedCommerce/v1/transaction/requestRefund/2000", Endpoint.requestRefund, "2000"),
        ("/advancedCommerce/v1/subscription/revoke/2000", .revoke, "2000"),
        ("/advancedCommerce/v1/subscription/cancel/2000", .cancel, "2000"),
        ("/advancedCommerce/v1/subscription/cancel", .cancel, ""),
        ("/advancedCommerce/v1/subscription/cancel/a/b", .cancel, "a/b"),
    ])
    func `a path names the call and the transaction`(path: String, endpoint: Endpoint, transaction: String) throws {
        let found = try #require(Endpoint.parse(path: path))
        #expect(found.endpoint == endpoint)
        #expect(found.transactionId == transaction)
    }

    @Test(arguments: ["/", "/advancedcommerce/v1/subscription/cancel/1", "/inApps/v1/transactions/1"])
    func `any other path is none of Apple's three`(path: String) {
        #expect(Endpoint.parse(path: path) == nil)
    }
}
