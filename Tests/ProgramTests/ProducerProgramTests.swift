import AppStoreSimulator
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

/// The programs of docs/producers.md do what the page says.
@Suite struct `A program for producers` {
    enum Language: String, CaseIterable, Sendable {
        case python, node, ruby, shell

        /// Debian's interpreters by their full names: others don't see Debian's libraries.
        var command: String {
            switch self {
            case .python: "/usr/bin/python3 refund.py"
            case .node: "NODE_PATH=/usr/share/nodejs node refund.js"
            case .ruby: "/usr/bin/ruby refund.rb"
            case .shell: "./refund.sh"
            }
        }

        var id: String { "case-4711-\(rawValue)" }

        /// scripts/setup installs the libraries on Debian only.
        static var runnable: [Language] {
            #if os(Linux)
                allCases
            #else
                [.shell]
            #endif
        }
    }

    static let docs = `The scripts`.checkout + "/docs"

    static func page() throws -> String { try String(contentsOfFile: docs + "/producers.md", encoding: .utf8) }

    static func programs() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: docs + "/producers").sorted()
    }

    @Test(arguments: Language.runnable)
    func `has its refund accepted, and run again it changes nothing`(_ language: Language) async throws {
        try await withProgram { world in
            let door = Relay(.tcp, to: world.folder["redis.sock"])
            defer { door.stop() }
            let line = "cd '\(Self.docs)/producers' && \(language.command)"
            for state in [JobState.accepted, .accepted] {
                let run = try await world.line(line, variables: ["REDIS_URL": "redis://127.0.0.1:\(door.port)/0"])
                #expect(run.exit == .code(0), "\(run.text)")
                #expect(run.output.joined().hasPrefix("\(language.id) is in kulanz:{audiobooks}:jobs:normal as "))
                #expect(try await world.workUntilIdle() == .code(0))
                #expect(try await world.queue().state(of: language.id) == state)
            }
            #expect(await world.simulator.entries.count == 1, "sent once")
            let view = try await world.queue().overview()
            #expect(view.dead == 0 && view.isIdle)
            let record = try #require(try await world.queue().show(language.id))
            #expect(record.job?.request.items.first?.refundAmount == 4990)
        }
    }

    /// Of a program that nobody runs here at least the job is looked at.
    @Test func `in Go writes a valid job`() throws {
        let text = try String(contentsOfFile: Self.docs + "/producers/refund.go", encoding: .utf8)
        let literal = try #require(
            text.components(separatedBy: "const job = `").last?.components(separatedBy: "`").first)
        let rules = AppRules(name: "audiobooks", environment: .production)
        let job = try Job.validate(Array(literal.utf8), app: rules, from: .lane(.normal)).get()
        #expect(job.id == "case-4711-go")
        #expect(job.request.items.first?.refundAmount == 4990)
    }

    @Test func `stands on the page as it is in its file`() throws {
        let blocks = try Self.page().matches(of: /(?s)\n```[a-z]+\n(.*?)```\n/).map { String($0.1) }
        let files = try Self.programs()
        #expect(files.count == 5)
        #expect(blocks.count == files.count)
        for file in files {
            let program = try String(contentsOfFile: Self.docs + "/producers/" + file, encoding: .utf8)
            #expect(blocks.contains(program), "\(file)")
            #expect(try Self.page().contains("(producers/\(file))"))
        }
    }
}
