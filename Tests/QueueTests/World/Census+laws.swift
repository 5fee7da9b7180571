extension Census {
    /// What contradicts the invariants of one app's keys; empty when all is well.
    var contradictions: [String] {
        let places = places
        var found: [String] = []
        for (id, job) in jobs.sorted(by: { $0.key < $1.key }) {
            let state = job["state"] ?? "none"
            let here = places[id] ?? []
            if !Self.isLawful(here, state: state, isOpen: (Int(job["unclear"] ?? "0") ?? 0) > 0) {
                found.append("\(id) is \(state) and in \(here.isEmpty ? "no place" : "\(here)")")
            }
            if (job["waitsFor"] != nil) != here.contains(where: { if case .line = $0 { true } else { false } }) {
                found.append("\(id) waits for \(job["waitsFor"] ?? "nobody") and is in \(here)")
            }
            if (state == "held") != held.contains(id) { found.append("\(id) is \(state), held: \(held)") }
            if (state == "sending") == (job["worker"] ?? "").isEmpty {
                found.append("\(id) is \(state) and has worker \(job["worker"] ?? "none")")
            }
            if state == "dead", let letter = letters.first(where: { $0.id == id }), letter.entry != job["dead"] {
                found.append("\(id) points to letter \(job["dead"] ?? "none") instead of \(letter.entry)")
            }
        }
        for (id, here) in places where jobs[id] == nil { found.append("\(id) has no record, yet is in \(here)") }
        found += lineContradictions(places)
        for entry in letterRecords where entry.value["state"] == "dead" {
            if letters.count(where: { $0.id == entry.key }) != 1 {
                found.append("the letter \(entry.key) is not there exactly once")
            }
        }
        for letter in letters where jobs[letter.id] == nil && letterRecords[letter.id] == nil {
            found.append("the letter \(letter.id) has no record: nobody can act on it")
        }
        return found
    }

    private static func isLawful(_ places: [Place], state: String, isOpen: Bool) -> Bool {
        guard places.count <= 1 else { return false }
        switch (state, places.first) {
        case ("queued", .stream), ("queued", .ready), ("queued", .line), ("queued", .later): return true
        case ("waiting", .later), ("waiting", .ready), ("waiting", .line): return true
        case ("unclear", .later), ("unclear", .ready), ("unclear", .followup), ("unclear", .stream): return isOpen
        case ("sending", .lease), ("held", .followup), ("accepted", .followup), ("dead", .dead): return true
        case ("done", nil), ("discarded", nil): return true
        default: return false
        }
    }

    private func lineContradictions(_ places: [String: [Place]]) -> [String] {
        var found: [String] = []
        var followers: Set<String> = []
        for (name, members) in sets where name.hasPrefix("line:") {
            let line = String(name.dropFirst(5))
            for (member, _) in members { followers.insert(member) }
            let owner = purchases[line]?["owner"]
            let isComing = jobs.contains { id, job in
                guard (job["line"] ?? job["transaction"]) == line || job["transaction"] == line else { return false }
                switch places[id]?.first {
                case .ready, .stream: return true
                // Its turn came while a request of the job before it may still be under way: till then, or longer where the
                // clock was set meanwhile.
                case .later:
                    let due = score(of: id, in: "later").map { String(Int64($0)) }
                    return [job["line"], job["transaction"]].compactMap { $0.flatMap { purchases[$0]?["until"] } }
                        .contains { $0 == due || gate["stepped"] != nil }
                default: return false
                }
            }
            if owner == nil, !isComing {
                found.append("\(members.map(\.member)) wait in line \(line) that nobody owns and nobody will give up")
            }
        }
        if followers != Set(members("followers")) {
            found.append("in lines: \(followers.sorted()), in followers: \(members("followers").sorted())")
        }
        for (line, purchase) in purchases {
            guard let owner = purchase["owner"] else { continue }
            guard let job = jobs[owner] else {
                found.append("line \(line) is owned by \(owner), of which there is no record")
                continue
            }
            guard job["state"] != "sending", (Int(job["unclear"] ?? "0") ?? 0) == 0 else { continue }
            found.append("line \(line) is owned by \(owner), which is \(job["state"] ?? "none") and has no open id")
        }
        for (id, job) in jobs where job["state"] == "sending" || (Int(job["unclear"] ?? "0") ?? 0) > 0 {
            for line in Set([job["line"], job["transaction"]].compactMap(\.self)) where purchases[line]?["owner"] != id
            {
                found.append(
                    "\(id) is \(job["state"] ?? "none") while \(purchases[line]?["owner"] ?? "nobody") owns \(line)")
            }
        }
        return found
    }
}
