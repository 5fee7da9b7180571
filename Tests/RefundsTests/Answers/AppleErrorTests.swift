import Refunds
import Testing

@Suite struct AppleErrorTests {
    @Test func `every code of the fact sheet is there once, with all its words`() {
        #expect(AppleError.catalogue.count == AppleError.count)
        for (code, error) in AppleError.catalogue {
            #expect(error.code == code)
            #expect(error.name.hasSuffix("Error"))
            #expect(!error.meaning.isEmpty && !error.hint.isEmpty)
            #expect([400, 401, 403, 404, 429, 500].contains(error.status), "\(code)")
        }
        #expect(Set(AppleError.catalogue.values.map(\.name)).count == AppleError.catalogue.count)
    }

    @Test(
        arguments: [
            (4_000_181, "PendingRefundError"), (4_000_032, "InvalidAccountTenureError"),
            (4_040_007, "ServerNotificationURLNotFoundError"), (4_030_009, "SubscriptionAlreadyExistsError"),
            (4_000_223, "FreeTrialOfferMustUsePeriodCountOfOneError"),
        ] as [(Int64, String)])
    func `codes have Apple's names`(_ code: Int64, _ name: String) {
        #expect(AppleError.catalogue[code]?.name == name)
    }
}

extension AppleError {
    /// 52 of section 6.1, 39 more of 6.3, 78 more of 6.4.
    fileprivate static let count = 169
}
