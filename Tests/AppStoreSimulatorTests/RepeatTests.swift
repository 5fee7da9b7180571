import AppStoreSimulator
import TestSupport
import Testing

/// What becomes of an id that was processed before, in each of the three modes.
@Suite struct RepeatTests {
    @Test(arguments: Wire.versions)
    func `replay gives the first answer again and takes nothing`(over wire: Wire) async throws {
        try await withSimulator(#"repeats: "replay-200""#, over: wire) { world in
            let body = Bodies.refund(type: "CUSTOM", amount: 2500)
            let first = await world.call(.refund, "4711", body)
            let second = await world.call(.refund, "4711", body)
            #expect(first.body == second.body)
            #expect(second.status == 200)
            let entries = await world.entries(of: "4711")
            #expect(entries.map(\.isProcessed) == [true, false])
            #expect(entries.map(\.isRepeat) == [false, true])
            #expect(entries.map(\.hasSameBytes) == [nil, true])
        }
    }

    @Test(arguments: Wire.versions)
    func `reject answers 4000097, but never to a cancel`(over wire: Wire) async throws {
        try await withSimulator(#"repeats: "reject-4000097""#, over: wire) { world in
            for (endpoint, body) in [(String.refund, Bodies.refund()), (.revoke, Bodies.revoke())] {
                #expect(await world.call(endpoint, endpoint.suffix(6).description, body).status == 200)
                let again = await world.call(endpoint, endpoint.suffix(6).description, body)
                #expect(again.status == 400)
                #expect(again.code == 4_000_097)
            }
            let cancel = Bodies.cancel()
            #expect(await world.call(.cancel, "4711", cancel).status == 200)
            #expect(await world.call(.cancel, "4711", cancel).status == 200)
        }
    }

    @Test(arguments: Wire.versions)
    func `process-twice takes the money twice, and the audit sees it`(over wire: Wire) async throws {
        try await withSimulator(#"repeats: "process-twice""#, over: wire) { world in
            let body = Bodies.refund()
            for _ in 0..<2 { #expect(await world.call(.refund, "4711", body).status == 200) }
            let audit = await world.simulator.report()
            #expect(audit.requestsTakenTwiceUnderOneId == 1)
            #expect(audit.refundsTakenTwice.map(\.sku) == ["audiobook.4711"])
            #expect(audit.refundsTakenTwice.first?.isTwiceUnderSeveralIds == false)
        }
    }

    @Test func `an app's own mode goes before the scenario's`() async throws {
        try await withSimulator(#"repeats: "process-twice""#, app: #"repeats: "reject-4000097""#) { world in
            let body = Bodies.refund()
            #expect(await world.call(.refund, "4711", body).status == 200)
            #expect(await world.call(.refund, "4711", body).code == 4_000_097)
        }
    }

    @Test func `the case of an id doesn't matter, its bytes are compared`() async throws {
        try await withSimulator { world in
            let id = Bodies.newId()
            #expect(await world.call(.refund, "4711", Bodies.refund(id: id)).status == 200)
            #expect(await world.call(.refund, "4711", Bodies.refund(id: id.uppercased())).status == 200)
            #expect(await world.entries(of: "4711").last?.hasSameBytes == false)
            #expect(await world.simulator.report().repeatsWithOtherBytes == 1)
        }
    }

    @Test func `an id that belongs to another call is a mistake in every mode`() async throws {
        for mode in Scenario.RepeatMode.allCases {
            try await withSimulator(#"repeats: "\#(mode.rawValue)""#) { world in
                let id = Bodies.newId()
                #expect(await world.call(.refund, "4711", Bodies.refund(id: id)).status == 200)
                #expect(await world.call(.refund, "4712", Bodies.refund(id: id)).code == 4_000_097)
                #expect(await world.call(.revoke, "4711", Bodies.revoke(id: id)).code == 4_000_097)
                #expect(await world.call(.cancel, "4711", Bodies.cancel(id: id)).code == 4_000_081)
            }
        }
    }

    @Test func `a refused call doesn't use its id up, and apps don't share ids`() async throws {
        try await withSimulator("acceptAnyApp: true") { world in
            let id = Bodies.newId()
            #expect(await world.call(.refund, "4711", Bodies.refund(id: id, type: "HALF")).code == 4_000_123)
            #expect(await world.call(.refund, "4711", Bodies.refund(id: id)).status == 200)
            let other = TestApp(bundleId: "com.example.other").authorization
            let reply = await world.call(.refund, "1", Bodies.refund(id: id), authorization: other)
            #expect(reply.status == 200)
            #expect(await world.entries(of: "1").first?.isRepeat == false)
        }
    }
}
