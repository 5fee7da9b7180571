import AppStoreSimulator
import Foundation
import HTTP
import Queue
import Refunds
import Telemetry
import TestSupport
import Testing

@testable import Fleet

@Suite struct `A pause` {
    @Test func `sends one alarm that says what to do, from two workers that saw the same answer`() async throws {
        let (alarms, alarm) = AsyncStream<String>.makeStream()
        try await withFleet { scenario in
            var app = SimulatedApp(bundleId: FleetWorld.bundle)
            app.addendum = SimulatedApp.AddendumAnswer()
            scenario.apps[FleetWorld.bundle] = app
        } _: { world in
            let desk = HTTPServer(loop: world.loop, host: "127.0.0.1", port: 0) { request in
                alarm.yield(String(decoding: request.body, as: UTF8.self))
                return .respond(status: 204, headers: [], body: [])
            }
            let port = try await desk.start()
            for number in 1...12 { try await world.add(FleetWorld.job("case-\(number)")) }
            let apps = [try world.app(webhook: "http://127.0.0.1:\(port)/hook")]
            await withTaskGroup(of: Void.self) { group in
                for _ in 1...2 { group.addTask { _ = await world.worker(apps).run() } }
            }
            await desk.stop()
            alarm.finish()
            var received: [String] = []
            for await text in alarms { received.append(text) }
            let text = try #require(received.first)
            #expect(received.count == 1)
            #expect(text.contains("\"kind\":\"paused\""))
            #expect(text.contains("kulanz apps resume audiobooks"))
            #expect(text.contains("Addendum"))
            #expect(world.log.events.count { $0.level == .error } == 1)
        }
    }
}
