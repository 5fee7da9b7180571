import EventLoop
import Foundation
import Lifecycle
import Telemetry
import TestSupport
import Testing

@Suite struct KeptChildTests {
    /// A shell's script that is kept, and the pids of its lives.
    private func keep(
        _ script: String, upkeep: Upkeep = Upkeep(givesUpAfter: 3), patience: Duration = .seconds(30)
    ) -> (child: KeptChild, lives: EventRecorder<ChildProcess>) {
        let lives = EventRecorder<ChildProcess>()
        let child = KeptChild(
            "shell", upkeep: upkeep, patience: patience, loop: TestLoop.shared, log: .none
        ) {
            let child = try await ChildProcess.start(
                "/bin/sh", .init(arguments: ["-c", script], output: .lines), on: TestLoop.shared)
            if script.contains("echo ready") { _ = await child.output.first { _ in true } }
            lives.record(child)
            return KeptChild.Life(child)
        }
        return (child, lives)
    }

    @Test func `a child that is killed is started again, until the end is asked for`() async throws {
        let (child, lives) = keep("exec sleep 1000")
        let run = Task { try await child.run() }
        let first = try await lives.first(1)[0]
        await first.kill(SIGKILL)
        let second = try await lives.first(2)[1]
        #expect(first.pid != second.pid)
        await child.quiet()
        try await run.value
        #expect(await second.exit == .signal(SIGTERM))
        #expect(lives.events.count == 2)
    }

    @Test func `a child that ends with a code again and again is given up, with its code`() async throws {
        let (child, lives) = keep("exit 78", upkeep: Upkeep(givesUpAfter: 2))
        let error = await #expect(throws: ChildGivenUp.self) { try await child.run() }
        #expect(error?.exit == .code(78))
        #expect(error?.description.contains("shell ended again and again") == true)
        #expect(lives.events.count == 2)
    }

    @Test func `the end is asked for while a wait before the next start goes on`() async throws {
        let (child, lives) = keep("exec sleep 1000", upkeep: Upkeep(givesUpAfter: nil))
        let run = Task { try await child.run() }
        for number in 1...3 { await (try await lives.first(number)[number - 1]).kill(SIGKILL) }
        await child.quiet()
        try await run.value
    }

    @Test func `a child that ignores the wish is killed when patience ends`() async throws {
        let (child, lives) = keep("trap '' TERM; echo ready; while :; do sleep 1; done", patience: .milliseconds(50))
        let run = Task { try await child.run() }
        let life = try await lives.first(1)[0]
        run.cancel()
        try await run.value
        #expect(await life.exit == .signal(SIGKILL))
    }

    @Test func `whoever can't begin its first life is not kept`() async throws {
        let child = KeptChild(
            "nothing", upkeep: Upkeep(givesUpAfter: nil), patience: .zero, loop: TestLoop.shared, log: .none
        ) {
            let child = try await ChildProcess.start("/no/such/program", on: TestLoop.shared)
            return KeptChild.Life(child)
        }
        let error = await #expect(throws: ChildProcessError.self) { try await child.start() }
        #expect(error?.code == ENOENT)
    }

    @Test func `the end is asked for while a later life begins, which is broken off`() async throws {
        let beginnings = EventRecorder<Int>()
        let child = KeptChild(
            "slow", upkeep: Upkeep(givesUpAfter: nil), patience: .seconds(30), loop: TestLoop.shared, log: .none
        ) {
            beginnings.record(1)
            guard beginnings.events.count == 2 else {
                let child = try await ChildProcess.start("true", on: TestLoop.shared)
                return KeptChild.Life(child)
            }
            try await LoopDomain(TestLoop.shared).sleep(for: .seconds(3600))
            throw CancellationError()
        }
        try await child.start()
        let run = Task { try await child.run() }
        try await beginnings.first(2)
        await child.quiet()
        try await run.value
    }
}
