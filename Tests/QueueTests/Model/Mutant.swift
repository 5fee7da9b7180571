import Queue

/// A fault that is planted in the scripts, to see whether the walk meets it.
struct Mutant: Sendable, CustomStringConvertible {
    struct Edit: Sendable {
        /// Nil for every move.
        let move: ScriptName?
        let text: String
        let replacement: String

        init(_ move: ScriptName?, _ text: String, _ replacement: String) {
            (self.move, self.text, self.replacement) = (move, text, replacement)
        }
    }

    let description: String
    /// A walk that met it when this was written; others of its kind follow.
    let seed: UInt64
    let edits: [Edit]
    /// The model is told the same nonsense, so that only what must hold in true time can contradict it.
    let belief: Model.Misbelief?

    init(_ description: String, seed: UInt64 = 3, believed belief: Model.Misbelief? = nil, _ edits: Edit...) {
        self.description = description
        self.seed = seed
        self.belief = belief
        self.edits = edits
    }

    static let all = ofTheQueue + ofTheClock

    private static let ofTheQueue = [
        Mutant(
            "lease doesn't look who owns the purchase", seed: 3,
            Edit(.lease, "= owner_before(job, after_step)", "= nil, nil, now")),
        Mutant(
            "postpone makes a new id while the old one is open", seed: 3,
            Edit(
                .postpone, "if next_ref ~= '' and (job.unclear > 0 or ending == 'unclear') then return 'open' end",
                ""),
            Edit(.postpone, "if job.unclear > 0 then return false end", "")),
        Mutant(
            "block makes a new id while the old one is open", seed: 19,
            Edit(.block, "if job.unclear > 0 then return false end", "")),
        Mutant(
            "pause makes a new id while the old one is open", seed: 51,
            Edit(.pause, "if job.unclear > 0 then return false end", "")),
        Mutant(
            "redrive makes a new id while the old one is open", seed: 27,
            Edit(.redrive, "elseif job.unclear == 0 and job.sends > 0 then", "elseif job.sends > 0 then"),
            Edit(.redrive, "if job.unclear > 0 then return false end", "")),
        Mutant(
            "release doesn't return the permit", seed: 11,
            Edit(.release, "redis.call('LREM', DEPARTURES, 1, job.departed)", "")),
        Mutant(
            "release returns all permits of the call", seed: 11,
            Edit(
                .release, "redis.call('LREM', DEPARTURES, 1, job.departed)",
                "redis.call('LREM', DEPARTURES, 0, job.departed)")
        ),
        Mutant(
            "reclaim doesn't mark the job unclear", seed: 3,
            Edit(.reclaim, "    leave_open(job)\n    local lost", "    local lost")),
        Mutant(
            "reclaim makes the job due at once", seed: 3,
            Edit(.reclaim, "stamp(repeat_due(job))", "stamp(now)")),
        Mutant(
            "an expired lease doesn't mark the job unclear", seed: 3,
            Edit(.lease, "    leave_open(job)\n    local lost", "    local lost")),
        Mutant(
            "settle drops a late 200", seed: 99,
            Edit(.settle, "if not OPEN[job.state] then", "if job.state ~= 'sending' then")),
        Mutant("settle leaves the lease", seed: 3, Edit(.settle, "redis.call('ZREM', LEASES, unpack(was_sent))", "")),
        Mutant(
            "settle awaits no outcome", seed: 3, Edit(.settle, "redis.call('ZADD', FOLLOWUPS, unpack(awaited))", "")),
        Mutant("settle leaves the retry", seed: 99, Edit(.settle, "redis.call('ZREM', LATER, id)\n", "\n")),
        Mutant(
            "the error of one answer ends the batch",
            Edit(
                .settle, "    results[i] = is_sound and",
                "    if not is_sound then error(result) end\n    results[i] = is_sound and")),
        Mutant(
            "the second answer of a batch for one job settles it again",
            Edit(.settle, "if not OPEN[job.state] then", "if not OPEN[job.state] and not has_settled then")),
        Mutant(
            "only the first answer of a batch lets go of its line", seed: 51,
            Edit(
                .settle, "    give_lines_up(job, until_us)\n    if state",
                "    if not has_settled then give_lines_up(job, until_us) end\n    if state")),
        Mutant(
            "only one answer of a batch ends its lease", seed: 51,
            Edit(.settle, "was_sent[#was_sent + 1] = id", "was_sent[1] = id")),
        Mutant(
            "nobody is asked whether anyone follows",
            Edit(
                nil, "if anyone_follows == nil then anyone_follows = redis",
                "if anyone_follows == nil then anyone_follows = readied > 0 and redis")),
        Mutant(
            "an answer that fails is told as the next one's",
            Edit(
                .settle, "    results[i] = is_sound and",
                "    results[is_sound and i or i % tonumber(ARGV[2]) + 1] = is_sound and")),
        Mutant(
            "the gate keeps N-1 departures", seed: 3,
            Edit(
                .lease, "if known > kept * 2 then redis.call('LTRIM', DEPARTURES, -kept, -1) end",
                "redis.call('LTRIM', DEPARTURES, -(count - 1), -1)")),
        Mutant("the gate has no guard", seed: 11, Edit(.lease, "+ window + guard", "+ window")),
        Mutant("a server that forgot is trusted", seed: 3, Edit(.lease, "if gate[1] ~= run_id or", "if")),
        Mutant(
            "Apple's silence closes nothing", seed: 280,
            Edit(.lease, "if probe_at > now then return", "if false then return")),
        Mutant(
            "every worker probes", seed: 24,
            Edit(.lease, "if first_lease then return result(first_lease, '', '') end", "")),
        Mutant(
            "a job that cost two leases is sent beside others", seed: 3,
            Edit(.lease, "(solitude == 0 or #jobs > 0)", "false")),
        Mutant("a block is not looked at", seed: 19, Edit(.lease, "tonumber(gate[3]) > now and", "false and")),
        Mutant(
            "the line's end forgets the followers", seed: 3,
            Edit(.settle, "if not owner or owner == job.id then call_next(line) end", "")),
        Mutant(
            "a withdrawn follower takes its turn with it", seed: 131,
            Edit(.withdraw, "if not owner or owner == job.id then", "if owner == job.id then")),
        Mutant(
            "the transaction's own line is not owned", seed: 3,
            Edit(nil, "return { job.line, job.transaction }", "return { job.line }")),
        Mutant(
            "withdraw leaves the entry at the front", seed: 35,
            Edit(.withdraw, "redis.call('ZREM', ready_key(job.lane), job.id) + ", "")),
        Mutant("redrive keeps the letter", seed: 3, Edit(.redrive, "redis.call('XDEL', DEAD, job.dead)\n", "\n")),
        Mutant(
            "redrive forgets that the reference lies unread", seed: 11,
            Edit(.redrive, "if job.ghost then", "if false then")),
        Mutant(
            "a reference is deleted without being acknowledged", seed: 3,
            Edit(.lease, "redis.call('XACK', lane_key(lane), GROUP, unpack(done))\n", "\n")),
        Mutant(
            "a letter drops the claims while its id is open", seed: 3,
            Edit(
                .bury,
                "    if job.unclear == 0 then\n        give_lines_up(job)\n        drop_claims(job)\n    end",
                "    if job.unclear == 0 then give_lines_up(job) end\n    drop_claims(job)")),
        Mutant(
            "a letter lets go of the line while its id is open", seed: 3,
            Edit(
                .bury,
                "    if job.unclear == 0 then\n        give_lines_up(job)\n        drop_claims(job)\n    end",
                "    give_lines_up(job)\n    if job.unclear == 0 then drop_claims(job) end")),
        Mutant(
            "a claim remembers only its first job", seed: 19,
            Edit(
                nil, "elseif not string.find(' ' .. ids .. ' ', ' ' .. id .. ' ', 1, true) then",
                "elseif false then")),
        Mutant(
            "a 429 costs an attempt", seed: 3,
            Edit(.block, "redis.call('HINCRBY', job_key(id), 'attempts', -1)\n", "\n")),
        Mutant(
            "the earlier of two blocks wins", seed: 83,
            Edit(.block, "tonumber(standing) < until_us", "tonumber(standing) > until_us")),
        Mutant("renew doesn't look at the fence", seed: 75, Edit(.renew, "held[2] == ARGV[i + 1] and ", "")),
        Mutant(
            "adopt doesn't look who was faster", seed: 3, Edit(.adopt, "GROUP, entry) > 0", "GROUP, entry) >= 0")),
        Mutant("a lease that ended stays", seed: 3, Edit(.postpone, "redis.call('ZREM', LEASES, job.id)", "")),
        Mutant(
            "the fence is not looked at", seed: 3,
            Edit(.postpone, "job.state == 'sending' and job.fence == fence", "true")),
        Mutant(
            "an unsent request costs an attempt", seed: 27, Edit(.postpone, "'attempts', -1)", "'attempts', 0)")),
        Mutant("hold lets the id close", seed: 27, Edit(.hold, "or ARGV[4] == 'unclear'", "")),
        Mutant(
            "an open letter is discarded without a finding", seed: 51,
            Edit(.discard, "if was_open and ARGV[4] == ''", "if false")),
        Mutant(
            "what lease takes out of a lane isn't counted", seed: 11,
            Edit(.lease, "if removed > 0 then redis.call('HINCRBY', INTAKE, lane, removed) end", "")),
        Mutant(
            "one transaction makes a run", seed: 17, Edit(.bury, "sight.transaction ~= job.transaction and ", "")),
        Mutant("a success breaks no run", seed: 377, Edit(.settle, "if down[5] and status == '200'", "if false")),
        Mutant(
            "an hour is no bound to the funds' run", seed: 17,
            Edit(.bury, "local isOld = ", "local isOld = false and ")
        ),
        Mutant(
            "one worker's sight of a 401 pauses the app", seed: 2,
            Edit(.pause, "if (ARGV[11] or '') == '' or", "if true or")),
        Mutant("a worker is its own second", seed: 34, Edit(.pause, "first[1] ~= ARGV[11] and ", "")),
        Mutant(
            "a lone worker waits for a second", seed: 42,
            Edit(.pause, "(ARGV[11] or '') == '' or", "not ARGV[11] or")),
        Mutant(
            "a token that was taken since is no witness", seed: 2,
            Edit(nil, "if down[4] and status ~= '401'", "if false")),
        Mutant("a second sight counts however late", seed: 194, Edit(.pause, " + SECOND_WITHIN_US > now", " > 0")),
        Mutant(
            "a pause is told as often as it is asked for", seed: 10,
            Edit(.pause, "if standing[1] then return false", "if false then return false")),
        Mutant("a resume sends no all-clear", seed: 11, Edit(.resume, "alarm('resumed'", "type('resumed'")),
        Mutant("Apple's return sends no all-clear", seed: 24, Edit(nil, "alarm('appleBack'", "type('appleBack'")),
        Mutant(
            "every 429 of a block is an alarm", seed: 139,
            Edit(.block, "not standing or tonumber(standing) <= now", "true")),
        Mutant("a refusal that pauses leaves Apple down", seed: 424, Edit(.pause, "note_answer(ARGV[7])", "")),
        Mutant(
            "a pause stops the neighbour", seed: 11,
            Edit(.pause, "base .. ':gate:refunds'", "'kulanz:{games}:gate:refunds'")),
        Mutant(
            "a block outlasts a server that forgot", seed: 675, Edit(.lease, "tonumber(gate[3]) > cap", "false")),
        Mutant(
            "a server that forgot is not booked", seed: 3, Edit(.lease, "if gate[1] or newest or", "if newest and")),
        Mutant("the books miss what never left", seed: 11, Edit(.release, "book('unsent'", "type('unsent'")),
    ]
}
