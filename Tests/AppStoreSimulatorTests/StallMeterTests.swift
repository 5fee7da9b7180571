import Testing

@testable import AppStoreSimulator

@Suite struct StallMeterTests {
    @Test func `a tick in time is no stall, a late one is as long as the gap`() {
        let ms: Int64 = 1_000_000
        var meter = StallMeter(at: 0)
        #expect(meter.tick(at: 5 * ms) == nil)
        #expect(meter.tick(at: 15 * ms) == nil)
        #expect(meter.tick(at: 40 * ms) == .init(endNs: 40 * ms, lengthNs: 25 * ms))
        #expect(meter.tick(at: 52 * ms) == .init(endNs: 52 * ms, lengthNs: 12 * ms))
        #expect(meter.worst == .init(endNs: 40 * ms, lengthNs: 25 * ms))
    }
}
