import AppStore
import AppStoreSimulator
import Foundation
import HTTP
import Queue
import Refunds
import TestSupport
import Testing

@testable import Fleet

@Suite struct `Apple that is down` {
    @Test(arguments: Wire.versions)
    func `closes the gate, is probed and opens it, with one alarm, one all-clear and no attempt burnt`(
        over wire: Wire
    ) async throws {
        let html = "{name:'outage',then:{status:503,contentType:'text/html',body:'<html>Service Unavailable</html>'}}"
        let apple = try Scenario(json5: Array("{doubleRefunds:'accept',rules:[\(html)]}".utf8))
        try await withFleet({ $0 = apple }, over: wire) { world in
            let desk = try await AlarmDesk(loop: world.loop)
            for number in 1...40 { try await world.add(FleetWorld.job("case-\(number)")) }
            let worker = world.worker([try world.app(webhook: desk.url)])
            let run = Task { await worker.run() }
            try await desk.alarms.events { $0.contains { $0["kind"]?.string == "appleDown" } }
            try await eventually("what was on the wire is answered") { try await world.queue.overview().inFlight == 0 }
            let closed = await world.calls().count
            #expect((5...10).contains(closed))
            try await eventually("two probes were refused") { await world.calls().count == closed + 2 }
            #expect(try await world.queue.overview().nextProbe != nil)
            // The rule goes as an operator of the simulator takes it away.
            let request = HTTPRequest(
                method: "DELETE", url: world.baseURL + "/_simulator/rules?name=outage", headers: [], body: [])
            guard case .response(let answer) = await world.client().send(request, deadline: .seconds(10)) else {
                Issue.record("the simulator's desk gave no answer")
                return
            }
            #expect(answer.status == 200)
            #expect(await run.value == .idle)
            await desk.stop()
            #expect(desk.kinds == ["appleDown", "appleBack"])
            #expect(try await world.queue.overview().dead == 0)
            #expect(try await world.queue.overview().nextProbe == nil)
            var untouched = 0
            for number in 1...40 {
                let record = try #require(try await world.queue.show("case-\(number)"))
                #expect(record.state == .accepted)
                #expect(Set(record.attempts.map(\.referenceId)).count == 1)
                let unclear = record.attempts.count { $0.result == "unclear" }
                if unclear == 0 { untouched += 1 }
                #expect(try #require(try await world.attempts("case-\(number)")) <= Int64(unclear) + 1)
            }
            #expect(untouched >= 40 - closed - 2)
        }
    }
}
