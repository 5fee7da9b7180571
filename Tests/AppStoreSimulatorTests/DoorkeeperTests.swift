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

    @Test func `over the limit comes a 429 whose Retry-After is the first moment that is free`() throws {
        let wallMs = Int64(Date().timeIntervalSince1970 * 1000)
        let json = "{ apps: { \(TestApp.configured("limit: { perSecond: 2 }")) } }"
        var apple = try Apple(scenario: Scenario(json5: Array(json.utf8)), wallMs: wallMs)
        let authorization = TestApp().authorization
        func answer(atMs ms: Int64, _ transactionId: String) -> Answer? {
            let arrival = Arrival(
                nanoseconds: ms * Self.ms, wallMs: wallMs + ms, path: Endpoint.requestRefund.pathPrefix + transactionId,
                authorization: authorization, body: Array(Bodies.refund().utf8))
            guard case .answer(let answer) = apple.receive(arrival).ending else { return nil }
            return answer
        }
        #expect(answer(atMs: 0, "1")?.status == 200)
        #expect(answer(atMs: 400, "2")?.status == 200)
        let refused = try #require(answer(atMs: 500, "3"))
        #expect(refused.status == 429)
        let retryAfter = refused.headers.first { $0.name == "Retry-After" }
        let free = try #require(retryAfter.flatMap { Int64($0.value) }) - wallMs
        #expect(free == 1001)
        #expect(answer(atMs: free - 2, "3")?.status == 429)
        #expect(answer(atMs: free, "3")?.status == 200)
    }

    @Test func `on the wire the 429 has Apple's code, and other endpoints have another count`() async throws {
        try await withSimulator(app: "limit: { perHour: 1 }") { world in
            #expect(await world.call(.refund, "1", Bodies.refund()).status == 200)
            let refused = await world.call(.refund, "2", Bodies.refund())
            #expect(refused.status == 429)
            #expect(refused.code == 4_290_000)
            #expect(refused.values(of: "Retry-After").count == 1)
            #expect(await world.call(.cancel, "1", Bodies.cancel()).status == 200)
            #expect(await world.simulator.report().endings["429 4290000"] == 1)
        }
    }
}
