import Foundation
import Testing

@testable import AppStoreSimulator

@Suite struct DoorkeeperTests {
    private static let ms: Int64 = 1_000_000

    private func app(perSecond: Int? = nil, perHour: Int? = nil, scope: Limit.Scope = .endpoint) -> SimulatedApp {
        var app = SimulatedApp(bundleId: "com.example.reader")
        app.limit = Limit(perSecond: perSecond, perHour: perHour, scope: scope)
        return app
    }

    @Test func `the second slides: at its border no more get in than anywhere`() {
        var door = Doorkeeper()
        let app = app(perSecond: 5)
        let stamps: [Int64] = [0, 900, 920, 940, 960]
        for stamp in stamps { #expect(door.wait(for: .revoke, of: app, at: stamp * Self.ms) == nil) }
        #expect(door.wait(for: .revoke, of: app, at: 999 * Self.ms) == 1 * Self.ms)
        #expect(door.wait(for: .revoke, of: app, at: 1000 * Self.ms) == nil)
        #expect(door.wait(for: .revoke, of: app, at: 1001 * Self.ms) == 899 * Self.ms)
    }

    @Test func `who is refused doesn't lengthen the wait`() {
        var door = Doorkeeper()
        let app = app(perSecond: 1)
        #expect(door.wait(for: .cancel, of: app, at: 0) == nil)
        for stamp in stride(from: Int64(10), to: 1000, by: 10) {
            #expect(door.wait(for: .cancel, of: app, at: stamp * Self.ms) == (1000 - stamp) * Self.ms)
        }
        #expect(door.wait(for: .cancel, of: app, at: 1000 * Self.ms) == nil)
    }

    @Test func `endpoints count apart or together, apps always apart`() {
        var door = Doorkeeper()
        #expect(door.wait(for: .cancel, of: app(perSecond: 1), at: 0) == nil)
        #expect(door.wait(for: .revoke, of: app(perSecond: 1), at: 0) == nil)
        door = Doorkeeper()
        #expect(door.wait(for: .cancel, of: app(perSecond: 1, scope: .app), at: 0) == nil)
        #expect(door.wait(for: .revoke, of: app(perSecond: 1, scope: .app), at: 0) != nil)
        #expect(door.wait(for: .revoke, of: app(perSecond: 1, scope: .app).named("other"), at: 0) == nil)
    }

    @Test func `the hour holds as many as it may and opens one by one`() {
        var door = Doorkeeper()
        let app = app(perHour: 3000)
        for number in 0..<3000 { #expect(door.wait(for: .cancel, of: app, at: Int64(number) * Self.ms) == nil) }
        #expect(door.wait(for: .cancel, of: app, at: 3000 * Self.ms) == 3_597_000 * Self.ms)
        #expect(door.wait(for: .cancel, of: app, at: 3_600_000 * Self.ms) == nil)
        #expect(door.wait(for: .cancel, of: app, at: 3_600_000 * Self.ms) == 1 * Self.ms)
    }

    @Test func `over the limit comes a 429 with the moment from which it is free, and coming then is in time`()
        async throws
    {
        try await withSimulator(app: "limit: { perSecond: 2 }") { world in
            var last = await world.call(.refund, "0", Bodies.refund())
            var number = 0
            while last.status == 200, number < 50 {
                number += 1
                last = await world.call(.refund, String(number), Bodies.refund())
            }
            #expect(last.status == 429)
            #expect(last.code == 4_290_000)
            let free = try #require(last.values(of: "Retry-After").first.flatMap { Int64($0) })
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            #expect((now - 5000...now + 1001).contains(free))
            #expect(await world.call(.cancel, "0", Bodies.cancel()).status == 200, "another endpoint, another count")
            try await Task.sleep(for: .milliseconds(max(0, free - Int64(Date().timeIntervalSince1970 * 1000))))
            #expect(await world.call(.refund, "free", Bodies.refund()).status == 200)
            let audit = await world.simulator.report()
            #expect(audit.endings["429 4290000"] == 1)
        }
    }
}
