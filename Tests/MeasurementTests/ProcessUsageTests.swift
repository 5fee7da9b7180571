import Foundation
import Testing

@testable import Measurement

@Suite struct ProcessUsageTests {
    @Test(arguments: [
        ("7 (redis-server) S 1 7 7 0 -1 4194560 1 2 3 4 150 50 0 0 20 0 6 0 100 1 2", 2.0),
        ("7 (a b) c) d) R 1 7 7 0 -1 4194560 1 2 3 4 5 0 0 0 20 0 6 0 100 1 2", 0.05),
        ("7 (short) R 1 7 7", nil), ("no brackets", nil), ("", nil), ("7 (x) R 1 7 7 0 -1 4 1 2 3 4 many 50 0", nil),
    ])
    func `user and system time are fields 14 and 15, behind a name that may hold anything`(
        stat: String, seconds: Double?
    ) {
        #expect(ProcessUsage.cpuSeconds(inStat: stat, ticksPerSecond: 100) == seconds)
    }

    @Test(arguments: [
        (
            "aaaa-bbbb ---p 00000000 00:00 0 [rollup]\nRss:    300 kB\nPss:   200 kB\nPss_Dirty: 9 kB\n",
            [307_200, 204_800]
        ),
        ("Rss: 300 kB\n", nil), ("", nil), ("Rss: x kB\nPss: 1 kB\n", nil),
    ])
    func `memory is told in kB of 1024 bytes`(rollup: String, bytes: [Int]?) {
        let memory = ProcessUsage.Memory(rollup: rollup)
        #expect(memory.map { [$0.resident, $0.proportional] } == bytes)
    }

    #if os(Linux)
        @Test func `a process can be looked at, and one that isn't there can't`() throws {
            let own = try #require(ProcessUsage(of: ProcessInfo.processInfo.processIdentifier))
            let memory = try #require(own.memory)
            #expect(memory.proportional > 0)
            #expect(memory.resident >= memory.proportional)
            #expect(own.cpuSeconds > 0)
            #expect(ProcessUsage(of: -1) == nil)
        }
    #endif
}
