import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Refunds
import TestSupport
import Testing

/// What `jobs` says of a job that isn't sent for now: the open question, who goes first, when it is due.
@Suite struct JobQuestionTests {
    @Test func `an open question, the job that goes first, and the time that is waited for are said`() async throws {
        try await withProgram { world in
            let held = TestJob(id: "held", transaction: "2000000000000001-4000181")
            let refunded = TestJob(id: "refunded", transaction: "2000000000000002-4030021")
            let unread = TestJob(id: "unread", transaction: "2000000000000003-garbage-always")
            let behind = TestJob(id: "behind", transaction: unread.transaction, sku: "audiobook.4712")
            try await world.add([held, refunded, unread])
            #expect(try await world.workUntilIdle() == .code(0))
            try await world.add([behind])
            #expect(try await world.workUntilIdle() == .code(0))

            for (id, state, words) in [
                ("held", "held", "Apple has an open refund"), ("refunded", "unclear", "is refunded already"),
                ("unread", "unclear", "could not be read"),
            ] {
                let shown = try await world.line("kulanz jobs show \(id)").output
                #expect(shown.contains { $0.hasPrefix("state        \(state)") }, "\(shown)")
                #expect(shown.contains { $0.hasPrefix("question     ") && $0.contains(words) }, "\(shown)")
                #expect(shown.contains { $0.contains("Nothing more is sent") })
                let object = try #require(try await world.line("kulanz jobs show \(id) --json").objects.first)
                #expect((object["question"] as? String)?.contains(words) == true)
                #expect(object["dueAt"] is NSNull)
            }
            #expect(
                try await world.line("kulanz jobs show unread").output.contains {
                    $0 == "state        unclear, a request may have arrived"
                })
            #expect(try await world.line("kulanz jobs show behind").output.contains("waits for    unread"))
            let follower = try #require(try await world.line("kulanz jobs show behind --json").objects.first)
            #expect(follower["waitsFor"] as? String == "unread")
            #expect(await world.simulator.entries.count == 3, "nothing was sent again, and nothing ahead of its turn")

            let unclear = try await world.line("kulanz jobs list --state unclear")
            #expect(
                Set(unclear.output.dropFirst().compactMap { $0.split(separator: " ").first }) == ["refunded", "unread"])
            #expect(unclear.text.contains("is refunded already"))
            let programs = try await world.line("kulanz jobs list --state unclear --json").objects
            #expect(programs.allSatisfy { $0["question"] is String })
            let heldOnes = try await world.line("kulanz jobs list --state held --json").objects
            #expect(heldOnes.map { $0["id"] as? String } == ["held"])
        }
    }

    @Test func `a job that may not be sent yet says when it is due`() async throws {
        try await withCommands { world in
            let due = 4_102_444_800_000
            let job = CommandWorld.job("a", "1").replacing("{\"id\"", with: "{\"notBefore\":\(due),\"id\"")
            #expect(try await world.run("enqueue", "-", input: job).exit == .code(0))
            let object = try #require(try await world.run("jobs", "show", "a", "--json").objects.first)
            #expect(object["dueAt"] as? Int == due)
            #expect(try await world.run("jobs", "show", "a").output.contains { $0.hasPrefix("due          ") })
        }
    }

    @Test func `a letter that never became a job is pointed at`() async throws {
        try await withCommands { world in
            let run = try await world.run("jobs", "show", "letter/normal/1-0")
            #expect(run.exit == .code(66))
            #expect(run.errors.joined().contains("kulanz dead show letter/normal/1-0"))
        }
    }
}
