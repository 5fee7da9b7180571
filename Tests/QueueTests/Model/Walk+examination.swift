import Queue
import Redis
import Refunds

extension Walk {
    /// Compares Redis with the invariants and with the model.
    func examine() async throws {
        let before = census
        census = try await world.census()
        if let first = census.contradictions.first { throw fail(first) }
        try compareJobs(before)
        try comparePlaces(before)
        try compareGate()
        try compareRaw()
        try compareAlarms()
        try await compareBooks()
        try countMoney()
        expected = [:]
        expectedDue = [:]
        mustHaveEmptied = false
    }

    private func compareJobs(_ before: Census) throws {
        try require(
            Set(census.jobs.keys) == Set(model.jobs.keys),
            "Redis has \(census.jobs.keys.sorted()), acknowledged were \(model.jobs.keys.sorted())")
        for (id, job) in model.jobs {
            guard let fields = census.jobs[id] else { continue }
            func number(_ name: String) -> Int { Int(fields[name] ?? "0") ?? -1 }
            let found = [
                "state": fields["state"] ?? "", "ref": fields["ref"] ?? "", "round": "\(number("round"))",
                "unclear": "\(number("unclear"))", "sends": "\(number("sends"))", "attempts": "\(number("attempts"))",
                "started": "\(number("started"))", "lost": "\(number("lost"))",
            ]
            let expected = [
                "state": job.state, "ref": job.ref, "round": "\(job.round)", "unclear": "\(job.unclear)",
                "sends": "\(job.sends)", "attempts": "\(job.attempts)", "started": "\(job.started)",
                "lost": "\(job.lost)",
            ]
            for (name, value) in expected.sorted(by: { $0.key < $1.key }) where found[name] != value {
                throw fail("\(id): \(name) is \(found[name] ?? "none"), not \(value)")
            }
            let fence = Int(before.jobs[id]?["fence"] ?? "0") ?? 0
            try require(number("fence") >= fence, "\(id): the fence fell from \(fence) to \(number("fence"))")
            if let old = before.jobs[id], let ref = old["ref"], ref != job.ref {
                try require((Int(old["unclear"] ?? "0") ?? 0) == 0, "\(id) has a new id while \(ref) is open")
            }
        }
    }

    private func comparePlaces(_ before: Census) throws {
        let (old, new) = (before.places, census.places)
        for (id, job) in model.jobs {
            let here = new[id]?.first
            if let place = expected[id] {
                try require(here == place, "\(id) is in \(text(here)), not in \(text(place))")
                if let due = expectedDue[id], let score = census.score(of: id, in: "later") {
                    try require(Int64(score) == due, "\(id) is due \(Int64(score) - due) µs off")
                }
                continue
            }
            let there = old[id]?.first
            if here == there { continue }
            switch (there, here) {
            // Its turn came, a retry fell due, it lined up, or its lease was lost.
            case (.line, .ready): called.insert(id)
            case (.line, .line), (.ready, .line), (.stream, .line): continue
            case (.later, .ready), (.later, .line):
                let due = Int64(before.score(of: id, in: "later") ?? 0)
                try require(due <= now, "\(id) came \(due - now) µs before it is due")
            case (.lease, .later) where job.state == "unclear", (.lease, .ready) where job.state == "unclear": continue
            // Read ahead of a permit that then went to another lane, it stands at the front of its own.
            case (.stream(let lane), .ready(let front)) where lane == front: continue
            // It may have killed two workers, and there was none that could take it alone.
            case (.ready, .later) where job.lost > 1, (.stream, .later) where job.lost > 1: continue
            // A request for its purchase may still be under way, though that job is over.
            case (.ready, .later), (.stream, .later), (.line, .later):
                let due = census.score(of: id, in: "later").map { Int64($0) }
                let isAfterStep = due != nil && due == model.afterStep
                let isKnown =
                    isAfterStep && job.isOpen
                    || job.lines.compactMap { census.purchases[$0]?["until"].flatMap { Int64($0) } }
                        .contains { due == max($0, model.afterStep ?? 0) }
                try require(isKnown, "\(id) went from \(text(there)) to later by itself")
            case (.lease, .dead) where job.state == "dead": continue
            default: throw fail("\(id) went from \(text(there)) to \(text(here)) by itself")
            }
        }
        guard mustHaveEmptied else { return }
        for (id, places) in new {
            switch places.first {
            case .ready, .stream: throw fail("\(id) was left in \(places) though slots and permits were free")
            default: continue
            }
        }
    }

    private func text(_ place: Census.Place?) -> String { place.map(\.description) ?? "no place" }

    private func compareGate() throws {
        let behind = (census.gate["behind"] ?? "").split(separator: " ").compactMap { Int64($0) }
        try require(behind == model.behind, "the clock is behind \(behind), not \(model.behind)")
        try require(
            census.gate["stepped"].flatMap { Int64($0) } == model.stepped,
            "the clock was set forward at \(census.gate["stepped"] ?? "no time"), not \(model.stepped ?? 0)")
        try require(
            census.gate["paused"] == model.pausedFor,
            "paused: \(census.gate["paused"] ?? "no"), not \(model.pausedFor ?? "no")")
        try require(
            census.gate["refusedBy"] == model.refusedBy,
            "\(census.gate["refusedBy"] ?? "nobody") saw a 401 alone, not \(model.refusedBy ?? "nobody")")
        try require(
            Int64(census.gate["blockedUntil"] ?? "0") == model.blockedUntil,
            "blocked until \(census.gate["blockedUntil"] ?? "0"), not \(model.blockedUntil)")
        try require(
            census.gate["probeAt"].flatMap { Int64($0) } == model.probeAt,
            "probe at \(census.gate["probeAt"] ?? "never"), not \(model.probeAt.map(String.init) ?? "never")")
        try require(
            Array(census.departures.suffix(model.permits)) == Array(model.departures.suffix(model.permits)),
            "the gate remembers \(census.departures.suffix(5)), not \(model.departures.suffix(5))")
    }

    private func compareAlarms() throws {
        let (found, expected) = (census.alerts.map(\.kind), model.alarms.map(\.kind))
        try require(found == expected, "untold are \(found), not \(expected)")
        raised.formUnion(census.alerts.map(\.entry))
        for letter in census.letters {
            guard let job = model.jobs[letter.id] else { continue }
            let pause = letter.fields["pause"].flatMap { Int($0) }
            try require(
                pause == job.pause,
                "the letter of \(letter.id) bears pause \(pause ?? 0), not \(job.pause ?? 0)")
        }
    }

    private func compareRaw() throws {
        let raw = Set(census.entries.filter { $0.reference == nil }.map { "\($0.lane) \($0.id)" })
        try require(raw == model.raw, "raw entries \(raw.sorted()), not \(model.raw.sorted())")
        let strangers = census.pending.subtracting(raw)
        try require(strangers.isEmpty, "pending, but not there: \(strangers)")
        let letters = census.letters.count { census.jobs[$0.id] == nil }
        try require(letters == model.letters, "\(letters) loose letters, not \(model.letters)")
    }

    private static let kinds: Set<String> = [
        "request", "answer", "unsent", "dead", "withdrawn", "redriven", "discarded", "question",
    ]
    /// Of the app, whichever job led to it.
    private static let events: Set<String> = ["paused", "resumed", "blocked", "appleDown", "appleBack", "forgotten"]

    private func compareBooks() async throws {
        let answer = try await world.send("XRANGE", RedisWord(world.queue.keys.ledger), RedisWord(lastBooked), "+")
        for entry in answer.array ?? [] {
            guard let parts = entry.array, let place = parts[0].string, let fields = parts[1].fields,
                let kind = fields["kind"]?.string, let id = fields["id"]?.string
            else { throw fail("a line of the books is unreadable") }
            lastBooked = "(" + place
            if Self.kinds.contains(kind) { booked[id, default: [:]][kind, default: 0] += 1 }
            if Self.events.contains(kind) { bookedEvents[kind, default: 0] += 1 }
        }
        try require(bookedEvents == model.events, "the books say \(bookedEvents) of the app, not \(model.events)")
        for (id, job) in model.jobs where job.books != booked[id] ?? [:] {
            throw fail("the books say \(booked[id] ?? [:]) of \(id), not \(job.books)")
        }
    }

    private func countMoney() throws {
        for (id, ids) in apple.carriedOut where ids.count > 1 {
            throw fail("\(id) was paid under \(ids.count) ids")
        }
        let paid = apple.carriedOut.keys.compactMap { model.jobs[$0] }.filter { !$0.repeats && $0.operation != .cancel }
        for first in paid {
            for second in paid where first.id < second.id && first.transaction == second.transaction {
                try require(
                    !first.conflicts(with: second.claims), "\(first.id) and \(second.id) were paid for the same item")
            }
        }
    }

    // MARK: The end

    /// Everybody freezes; one good worker and one diligent person finish what is left. Nothing may be stranded.
    func finish() async throws {
        if model.paused { try await resume(isSafe: true) }
        try await settleDown()
        for job in model.jobs.values.filter({ $0.state == "dead" && $0.isOpen }).sorted(by: { $0.id < $1.id }) {
            try await pass(model.timeout)
            minds = [:]
            try await discard(job.id, states: true, isSafe: true)
        }
        try await settleDown()
        let stuck = model.jobs.values.filter { job in
            switch job.state {
            case "queued", "waiting", "sending", "unclear":
                guard census.places[job.id]?.first != .followup else { return false }
                return !model.jobs.values.contains {
                    $0.id != job.id && $0.ownsLines && !$0.lines.isDisjoint(with: job.lines)
                }
            default: return false
            }
        }
        try require(stuck.isEmpty, "stranded: \(stuck.map { "\($0.id) \($0.state)" }.sorted())")
        try require(model.raw.isEmpty, "raw entries were never handed out: \(model.raw)")
        try await tellTheRest()
        try await visitNeighbour()
    }

    private func settleDown() async throws {
        minds = ["closer": Mind()]
        for _ in 0..<300 {
            step += 1
            var wait: Duration?
            var more = false
            try await make(.lease, isSafe: true) {
                let learn = try await self.lease("closer", slots: 10)
                return learn
            }
            let mind = minds["closer"] ?? Mind()
            try await adopt("closer", isSafe: true)
            for grip in mind.grips {
                guard let job = model.jobs[grip.job.id] else { throw fail("\(grip.job.id) vanished") }
                let departed = grip.job.departedMicroseconds
                apple.carryOut(job, ref: grip.job.referenceId.text)
                apple.ended(job.id, departed: departed)
            }
            let jobs = mind.grips.map(\.job)
            for some in company.chance(50) ? [inCompany(jobs)] : jobs.map({ [$0] }) {
                try await settle(some, "closer", isSafe: true)
            }
            minds["closer"]?.grips = []
            minds["closer"]?.raw = []
            let peek = try await world.lease(worker: "closer", slots: 0, runId: runId)
            wait = peek.wait
            more = peek.hasMore || !peek.raw.isEmpty
            minds["closer"]?.raw = peek.raw
            _ = model.meet(runId: runId)
            _ = model.expire()
            try await examine()
            let isWaiting = census.places.values.contains { places in
                switch places.first {
                case .ready, .stream: true
                default: false
                }
            }
            if wait == nil, !more, !isWaiting, model.raw.isEmpty { return }
            try await pass(max(1_100_000, (wait?.milliseconds ?? 0) * 1000))
        }
        throw fail("there is no end of work")
    }
}
