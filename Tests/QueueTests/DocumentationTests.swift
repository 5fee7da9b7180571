import Foundation
import Queue
import Redis
import Refunds
import Testing

/// docs/states.md and docs/keys.md say what the scripts do.
@Suite struct DocumentationTests {
    /// A move of a job from a state to another, nil where there was none before, by a script.
    struct Arrow: Hashable, CustomStringConvertible {
        let from: String?
        let to: String
        let script: String

        init(_ from: String?, _ to: String, _ script: ScriptName) {
            (self.from, self.to, self.script) = (from, to, script.rawValue)
        }

        fileprivate init(_ from: String, _ to: String, script: String) {
            (self.from, self.to, self.script) = (["[*]", "(nothing)"].contains(from) ? nil : from, to, script)
        }

        var description: String { "\(from ?? "[*]") → \(to): \(script)" }
    }

    private static func page(_ name: String) throws -> String {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/\(name)")
        return try String(contentsOf: url.standardized, encoding: .utf8)
    }

    private static func words(_ text: some StringProtocol, _ separators: String) -> [String] {
        text.split { separators.contains($0) }.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The arrows of the diagram; remarks stand in parentheses.
    private static func drawn() throws -> Set<Arrow> {
        let lines = try page("states.md").matches(of: /(?m)^    (\S+) --> (\w+): (.+)$/)
        return Set(
            lines.flatMap { line in
                words(String(line.3).replacing(/\([^)]*\)/, with: ""), ",").map {
                    Arrow(String(line.1), String(line.2), script: $0)
                }
            })
    }

    /// What the heads of the scripts say: `a, b → c | d; e → f`, in the lines before KEYS, behind some blanks.
    private static func promised() -> Set<Arrow> {
        var arrows: Set<Arrow> = []
        for script in ScriptName.allCases {
            let own = QueueScripts.standard[script].source.components(separatedBy: "-- \(script.rawValue): ")
            for line in (own.last ?? "").components(separatedBy: "-- KEYS")[0].split(separator: "\n") {
                guard line.contains("→"), let clauses = line.components(separatedBy: "  ").last else { continue }
                for clause in words(clauses, ";") {
                    let sides = words(clause.replacing(/\((?!nothing)[^)]*\)/, with: ""), "→")
                    guard sides.count == 2 else { continue }
                    for from in words(sides[0], ",") {
                        for to in words(sides[1], "|") where from != to {
                            arrows.insert(Arrow(from, to, script: script.rawValue))
                        }
                    }
                }
            }
        }
        return arrows
    }

    @Test func `the diagram has the arrows that the scripts' heads promise, and each names a script`() throws {
        let drawn = try Self.drawn()
        let promised = Self.promised()
        #expect(drawn.subtracting(promised).map(\.description).sorted() == [], "drawn, but in no script's head")
        #expect(promised.subtracting(drawn).map(\.description).sorted() == [], "in a script's head, but not drawn")
        let unknown = drawn.filter { ScriptName(rawValue: $0.script) == nil }
        #expect(unknown.map(\.description) == [])
        #expect(drawn.allSatisfy { JobState(rawValue: $0.to) != nil })
    }

    @Test func `every arrow of the diagram is walked along here, and no other`() throws {
        #expect(Set(Self.courses.map(\.arrow)) == (try Self.drawn()))
    }

    @Test(arguments: courses.indices)
    func `an arrow of the diagram happens, and all that it writes is in the page of keys`(index: Int) async throws {
        let course = Self.courses[index]
        try await withQueue { world in
            let (id, step) = try await course.prepare(world)
            #expect(try await world.state(id) == course.arrow.from, "\(course.arrow)")
            try await step()
            #expect(try await world.state(id) == course.arrow.to, "\(course.arrow)")
            let undocumented = try await Self.undocumented(in: world)
            #expect(undocumented == [], "\(course.arrow)")
        }
    }

    // MARK: Keys

    /// Everything between backquotes on the page; `<…>` stands for anything, and `:a:b`, `:c` for `:a:b` and `:a:c`.
    private static func documented() throws -> (names: Set<String>, patterns: [Regex<Substring>]) {
        let text = try page("keys.md").replacing("kulanz:{app}", with: "")
        var names = Set(text.matches(of: /`([^`]+)`/).map { String($0.1) })
        for row in text.split(separator: "\n").filter({ $0.hasPrefix("| `:") }) {
            let cell = row.split(separator: "|")[0].matches(of: /`(:[^`]+)`/).map { String($0.1) }
            guard let first = cell.first, let cut = first.lastIndex(of: ":") else { continue }
            for name in cell.dropFirst() { names.insert(first[..<cut] + name) }
        }
        let patterns = try names.filter { $0.contains("<") }.map { name in
            let parts = name.split(separator: /<[^>]+>/, omittingEmptySubsequences: false).map {
                NSRegularExpression.escapedPattern(for: String($0))
            }
            return try Regex(parts.joined(separator: ".+"), as: Substring.self)
        }
        return (names, patterns)
    }

    /// Names of keys and fields that the page doesn't have.
    private static func undocumented(in world: QueueWorld) async throws -> [String] {
        let (names, patterns) = try documented()
        var found: Set<String> = []
        func look(_ name: String) {
            if !names.contains(name), !patterns.contains(where: { name.wholeMatch(of: $0) != nil }) {
                found.insert(name)
            }
        }
        let base = world.queue.keys.base
        for key in try await world.send("KEYS", RedisWord(base + "*")).strings ?? [] {
            look(String(key.dropFirst(base.count)))
            switch try await world.send("TYPE", RedisWord(key)).string {
            // Its fields are reference ids.
            case "hash" where key.hasPrefix(base + ":refs:"): break
            case "hash": for field in try await world.send("HKEYS", RedisWord(key)).strings ?? [] { look(field) }
            case "stream":
                for entry in try await world.send("XRANGE", RedisWord(key), "-", "+").array ?? [] {
                    let fields = (entry.array?.last?.fields ?? [:]).mapValues { $0.string ?? "" }
                    for field in fields.keys { look(field) }
                    if let kind = fields["kind"] { look(kind) }
                }
            default: break
            }
        }
        return found.sorted()
    }

    @Test func `the page of keys has every kind of line, alarm and field of the gate, and no field that is gone`()
        throws
    {
        let names = try Self.documented().names
        let source = ScriptName.allCases.map { QueueScripts.standard[$0].source }.joined(separator: "\n")
        let kinds = source.matches(of: /\b(?:book|alarm|tell)\('(\w+)'/).map { String($0.1) }
        #expect(Set(kinds).subtracting(names) == [])
        let gate = source.split(separator: "\n").filter { $0.contains("GATE,") }
            .flatMap { $0.matches(of: /'([a-z]\w+)'/).map { String($0.1) } }
        #expect(gate.count > 20)
        #expect(Set(gate).subtracting(names) == [])
        let page = try Self.page("keys.md")
        let fields = page.matches(of: /(?m)^\| (`\w+`[^|]*)\|/).flatMap {
            String($0.1).matches(of: /`(\w+)`/).map { String($0.1) }
        }
        #expect(fields.count > 50)
        #expect(fields.filter { !source.contains("'\($0)'") } == [], "no script knows these")
    }

    // MARK: A course for each arrow

    typealias Step = () async throws -> Void
    struct Course: Sendable {
        let arrow: Arrow
        /// Brings a job into the arrow's first state; gives its id, and what makes the move.
        let prepare: @Sendable (QueueWorld) async throws -> (String, Step)

        init(
            _ from: String?, _ to: String, _ script: ScriptName,
            _ prepare: @escaping @Sendable (QueueWorld) async throws -> (String, Step)
        ) {
            arrow = Arrow(from, to, script)
            self.prepare = prepare
        }
    }

    private static func settle(_ world: QueueWorld, _ job: LeasedJob) async throws {
        _ = try await world.queue.settle(job, httpStatus: 200, signedTransaction: "t", signedRenewal: nil)
    }

    private static func lapse(
        _ world: QueueWorld, _ job: LeasedJob, _ operation: Refunds.Operation = .refund
    ) async throws {
        _ = try await world.queue.postpone(job, for: .zero, ending: .unclear, next: nil, .timedOut)
    }

    private static func bury(_ world: QueueWorld, _ job: LeasedJob, _ ending: SendEnding = .answered) async throws {
        _ = try await world.queue.bury(job, ending: ending, reason: "rejected", hint: "h", .rejected)
    }

    private static func invalid(_ world: QueueWorld) async throws -> (String, Step) {
        let entry = try await world.produce("no job")
        let raw = try await world.lease().raw
        let letter = Judgement.letter(reason: "invalid", code: "", name: "n", hint: "h", text: #"{"raw":"bm8="}"#)
        return ("letter/normal/\(entry)", { _ = try await world.queue.adopt(raw.map { ($0, letter) }) })
    }

    /// Two leases of it are lost already.
    private static func twiceLost(_ world: QueueWorld) async throws -> String {
        try await world.enqueue("j")
        for _ in 0..<2 {
            _ = try await world.leaseAfter(.seconds(31), worker: "dead")
            _ = try await world.queue.reclaim(from: "dead")
        }
        _ = try await world.leaseAfter(.seconds(31), worker: "dead")
        return "j"
    }

    static let courses: [Course] = [
        Course(nil, "queued", .enqueue) { world in ("j", { try await world.enqueue("j") }) },
        Course(nil, "queued", .adopt) { world in
            try await world.produce(world.text("j"))
            let raw = try await world.lease().raw
            let job = try world.job("j")
            return ("j", { _ = try await world.queue.adopt(raw.map { ($0, .job(job, text: [])) }) })
        },
        Course(nil, "dead", .adopt) { try await invalid($0) },
        Course(nil, "dead", .lease) { world in
            try await world.send("ZADD", RedisWord(world.queue.keys.ready(.normal)), "1", "gone")
            #expect(try await world.lease().missing == "gone")
            let id = "letter/ready/\(try await world.now)/gone"
            return (id, { _ = try await world.lease(absent: ["gone"]) })
        },
        Course("queued", "sending", .lease) { world in
            try await world.enqueue("j")
            return ("j", { _ = try await world.leaseOne() })
        },
        Course("waiting", "sending", .lease) { world in
            let job = try await world.sending("j")
            _ = try await world.queue.postpone(job, for: .zero, ending: .answered, next: world.next(job), .rejected)
            return ("j", { _ = try await world.leaseAfter(.seconds(2)) })
        },
        Course("unclear", "sending", .lease) { world in
            try await lapse(world, world.sending("j"))
            return ("j", { _ = try await world.leaseAfter(.seconds(2)) })
        },
        Course("sending", "accepted", .settle) { world in
            let job = try await world.sending("j")
            return ("j", { try await settle(world, job) })
        },
        Course("sending", "done", .settle) { world in
            let job = try await world.sending("j", operation: .cancel)
            return ("j", { try await settle(world, job) })
        },
        Course("sending", "waiting", .postpone) { world in
            let job = try await world.sending("j")
            return (
                "j", { _ = try await world.queue.postpone(job, for: .zero, ending: .unsent, next: nil, .notConnected) }
            )
        },
        Course("sending", "unclear", .postpone) { world in
            let job = try await world.sending("j")
            return ("j", { try await lapse(world, job) })
        },
        Course("sending", "unclear", .hold) { world in
            let job = try await world.sending("j")
            return (
                "j",
                {
                    _ = try await world.queue.hold(
                        job, as: .unclear, ending: .answered, lookingAgainAfter: .seconds(9), question: "q", .rejected)
                }
            )
        },
        Course("sending", "unclear", .block) { world in
            let job = try await world.sending("j")
            return (
                "j",
                {
                    _ = try await world.queue.block(
                        job, for: .seconds(9), ending: .unclear, next: nil, .rateLimited)
                }
            )
        },
        Course("sending", "unclear", .pause) { world in
            let job = try await world.sending("j")
            return (
                "j",
                {
                    _ = try await world.queue.pause(
                        reason: "forbidden", act: QueueWorld.agent, because: job, ending: .unclear, next: nil, .refused)
                }
            )
        },
        Course("sending", "unclear", .release) { world in
            try await lapse(world, world.sending("j"))
            let job = try await world.leaseAfter(.seconds(2))
            return ("j", { _ = try await world.queue.release(job, why: "late") })
        },
        Course("sending", "unclear", .reclaim) { world in
            _ = try await world.sending("j", worker: "dead")
            return ("j", { _ = try await world.queue.reclaim(from: "dead") })
        },
        Course("sending", "unclear", .lease) { world in
            _ = try await world.sending("j")
            try await world.advance(.seconds(61))
            return ("j", { _ = try await world.lease(slots: 0) })
        },
        Course("sending", "queued", .release) { world in
            let job = try await world.sending("j")
            return ("j", { _ = try await world.queue.release(job, why: "late") })
        },
        Course("sending", "queued", .block) { world in
            let job = try await world.sending("j")
            let next = world.next(job)
            return (
                "j",
                {
                    _ = try await world.queue.block(
                        job, for: .seconds(9), ending: .answered, next: next, .rateLimited)
                }
            )
        },
        Course("sending", "queued", .pause) { world in
            let job = try await world.sending("j")
            let next = world.next(job)
            return (
                "j",
                {
                    _ = try await world.queue.pause(
                        reason: "forbidden", act: QueueWorld.agent, because: job, ending: .answered, next: next,
                        .refused)
                }
            )
        },
        Course("sending", "held", .hold) { world in
            let job = try await world.sending("j")
            return (
                "j",
                {
                    _ = try await world.queue.hold(
                        job, as: .held, ending: .answered, lookingAgainAfter: .seconds(9), question: "q", .rejected)
                }
            )
        },
        Course("sending", "dead", .bury) { world in
            let job = try await world.sending("j")
            return ("j", { try await bury(world, job) })
        },
        Course("sending", "dead", .reclaim) { world in
            let id = try await twiceLost(world)
            return (id, { _ = try await world.queue.reclaim(from: "dead") })
        },
        Course("sending", "dead", .lease) { world in
            let id = try await twiceLost(world)
            try await world.advance(.seconds(61))
            return (id, { _ = try await world.lease(slots: 0) })
        },
        Course("unclear", "accepted", .settle) { world in
            let job = try await world.sending("j")
            try await lapse(world, job)
            return ("j", { try await settle(world, job) })
        },
        Course("unclear", "done", .settle) { world in
            let job = try await world.sending("j", operation: .cancel)
            try await lapse(world, job)
            return ("j", { try await settle(world, job) })
        },
        Course("held", "accepted", .settle) { world in
            let job = try await world.sending("j")
            _ = try await world.queue.hold(
                job, as: .held, ending: .unclear, lookingAgainAfter: .seconds(9), question: "q", .timedOut)
            return ("j", { try await settle(world, job) })
        },
        Course("dead", "accepted", .settle) { world in
            let job = try await world.sending("j")
            try await bury(world, job, .unclear)
            return ("j", { try await settle(world, job) })
        },
        Course("dead", "done", .settle) { world in
            let job = try await world.sending("j", operation: .cancel)
            try await bury(world, job, .unclear)
            return ("j", { try await settle(world, job) })
        },
        Course("queued", "dead", .withdraw) { world in
            try await world.enqueue("j")
            return ("j", { _ = try await world.queue.withdraw(["j"], act: QueueWorld.agent) })
        },
        Course("waiting", "dead", .withdraw) { world in
            let job = try await world.sending("j")
            _ = try await world.queue.postpone(job, for: .zero, ending: .unsent, next: nil, .notConnected)
            return ("j", { _ = try await world.queue.withdraw(["j"], act: QueueWorld.agent) })
        },
        Course("dead", "queued", .redrive) { world in
            try await bury(world, world.sending("j"))
            return ("j", { _ = try await world.queue.redrive("j", act: QueueWorld.agent) })
        },
        Course("dead", "unclear", .redrive) { world in
            try await bury(world, world.sending("j"), .unclear)
            return ("j", { _ = try await world.queue.redrive("j", act: QueueWorld.agent) })
        },
        Course("dead", "discarded", .discard) { world in
            try await bury(world, world.sending("j"))
            return ("j", { _ = try await world.queue.discard("j", act: QueueWorld.agent, finding: nil) })
        },
        Course("dead", "discarded", .enqueue) { world in
            let (letter, adopt) = try await invalid(world)
            try await adopt()
            let job = try world.job("j")
            return (letter, { _ = try await world.queue.enqueue(job, mending: letter) })
        },
    ]
}
