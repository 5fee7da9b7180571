import AppStoreSimulator
import Foundation
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@testable import Fleet

@Suite struct `A 429` {
    enum Expected: Sendable {
        /// Blocked until this time, UNIX ms.
        case until(Int64)
        /// Blocked for this long, ms.
        case wait(ClosedRange<Int64>)
    }

    struct Reading: Sendable {
        let what: String
        let header: String?
        let expected: Expected
        var bundle: String { "com.example.\(what)" }
        var rule: String {
            let retry = header.map { ",retryAfter:'\($0)'" } ?? ""
            return "{when:{bundleId:'\(bundle)'},then:{status:429\(retry)}}"
        }
    }

    static var readings: [Reading] {
        let start = Int64(Date().timeIntervalSince1970) * 1000
        let soon = start + 600_000
        let date = DateFormatter()
        date.locale = Locale(identifier: "en_US_POSIX")
        date.timeZone = TimeZone(identifier: "GMT")
        date.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let fallback = Expected.wait(60_000...66_000)
        let longest = Expected.wait(4_500_000...4_500_000)
        return [
            Reading(what: "milliseconds", header: String(soon), expected: .until(soon)),
            Reading(what: "epoch", header: String(soon / 1000), expected: .until(soon)),
            Reading(what: "seconds", header: "90", expected: .wait(90_000...90_000)),
            Reading(
                what: "date", header: date.string(from: Date(timeIntervalSince1970: Double(soon / 1000))),
                expected: .until(soon)),
            Reading(what: "garbage", header: "soon", expected: fallback),
            Reading(what: "negative", header: "-5", expected: fallback),
            Reading(what: "past", header: String(start - 3_600_000), expected: fallback),
            Reading(what: "zero", header: "0", expected: fallback),
            Reading(what: "far", header: "4070908800000", expected: longest),
            Reading(what: "fardate", header: "Thu, 01 Jan 2099 00:00:00 GMT", expected: longest),
            Reading(what: "days", header: "86400", expected: longest),
        ]
    }

    @Test(arguments: Wire.versions)
    func `blocks until what its Retry-After means, whichever way it is written`(
        over wire: Wire
    ) async throws {
        let readings = Self.readings
        let rules = readings.map(\.rule).joined(separator: ",")
        let apple = try Scenario(json5: Array("{rules:[\(rules)]}".utf8))
        try await withFleet({ $0 = apple }, over: wire) { world in
            let desk = try await AlarmDesk(loop: world.loop)
            for reading in readings {
                try await world.add(FleetWorld.job("case-1", app: reading.what), app: reading.what)
            }
            let apps = try readings.map { try world.app($0.what, bundle: $0.bundle, webhook: desk.url) }
            try await world.working([world.worker(apps) { $0.untilIdle = false }]) {
                try await desk.alarms.first(readings.count)
            }
            await desk.stop()
            #expect(desk.kinds == [String](repeating: "rateLimited", count: readings.count))
            for reading in readings {
                let line = try #require(try await world.ledger("blocked", app: reading.what).first, "\(reading.what)")
                let at = try #require(line["at"].flatMap { Int64($0) })
                let until = try #require(line["until"].flatMap { Int64($0) })
                switch reading.expected {
                // Apple's Date has whole seconds; the rest is the way through a busy machine.
                case .until(let time): #expect((time - 100...time + 8000).contains(until), "\(reading.what)")
                case .wait(let wait): #expect(wait.contains(until - at), "\(reading.what): \(until - at)")
                }
                let overview = try await world.queue(reading.what).overview()
                #expect(overview.blockedUntil == until, "\(reading.what)")
                #expect(try await world.attempts("case-1", app: reading.what) == 0, "\(reading.what)")
                let record = try #require(try await world.queue(reading.what).show("case-1"))
                #expect(record.attempts.map(\.result) == ["rateLimited"], "\(reading.what)")
            }
            #expect(await world.calls().count == readings.count)
        }
    }

    @Test func `covers the app across two workers, a third one and a restart of Redis, and is told once`() async throws
    {
        let apple = try Scenario(
            json5: Array("{doubleRefunds:'accept',rules:[{then:{status:429,retryAfterMs:600000}}]}".utf8))
        try await withFleet({ $0 = apple }, persistence: .always) { world in
            let desk = try await AlarmDesk(loop: world.loop)
            let crew = try (1...3).map { _ in
                world.worker([try world.app(webhook: desk.url)]) {
                    $0.untilIdle = false
                    $0.sweep = .milliseconds(250)
                }
            }
            try await world.working(Array(crew.prefix(2))) {
                try await world.beat(2, by: 2)
                for number in 1...20 { try await world.add(FleetWorld.job("case-\(number)")) }
                try await desk.alarms.first(1)
                try await eventually("what was on the wire is answered") {
                    try await world.queue.overview().inFlight == 0
                }
                let sent = await world.simulator.entries.count
                #expect((1...5).contains(sent))
                let until = try await world.gate("blockedUntil")
                await world.redis.server.kill9()
                try await world.redis.server.start()
                try await world.working([crew[2]]) {
                    // Each has looked at the app many times meanwhile.
                    try await world.beat(10, by: 3)
                    #expect(try await world.gate("blockedUntil") == until)
                    #expect(await world.simulator.entries.count == sent)
                    // The block alone kept them.
                    await world.simulator.adopt(try Scenario(json5: Array("{doubleRefunds:'accept'}".utf8)))
                    try await world.redis.send("HDEL", "kulanz:{audiobooks}:gate:refunds", "blockedUntil")
                    try await eventually("all are sent") { try await world.queue.overview().isIdle }
                }
            }
            await desk.stop()
            #expect(desk.kinds == ["rateLimited"])
            for number in 1...20 {
                #expect(try await world.queue.show("case-\(number)")?.state == .accepted)
                #expect(try await world.attempts("case-\(number)") == 1)
            }
        }
    }

    @Test(arguments: Wire.versions)
    func `on an open id keeps the id and the bytes, and costs no attempt`(over wire: Wire) async throws {
        let apple = try Scenario(
            json5: Array(
                "{doubleRefunds:'accept',rules:[{when:{arrivals:1},then:'cut-after'},"
                    .appending("{when:{arrivals:2},then:{status:429,code:4290000,retryAfterMs:300}}]}").utf8))
        try await withFleet({ $0 = apple }, over: wire) { world in
            let desk = try await AlarmDesk(loop: world.loop)
            try await world.add(FleetWorld.job("case-1"))
            #expect(await world.worker([try world.app(webhook: desk.url)]).run() == .idle)
            await desk.stop()
            let record = try #require(try await world.queue.show("case-1"))
            #expect(record.attempts.map(\.result) == ["unclear", "rateLimited", "accepted"])
            #expect(Set(record.attempts.map(\.referenceId)).count == 1)
            let entries = await world.calls()
            #expect(entries.count == 3)
            #expect(Set(entries.map(\.bodyHash)).count == 1)
            #expect(Set(entries.map(\.referenceId)).count == 1)
            #expect(try await world.attempts("case-1") == 2)
            #expect(desk.kinds == ["rateLimited"])
        }
    }
}
