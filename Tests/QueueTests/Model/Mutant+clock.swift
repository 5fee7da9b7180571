import Queue

extension Mutant {
    /// Faults in what is done about a clock that is set. Where the model believes them, true time has to contradict both.
    static let ofTheClock = [
        Mutant(
            "the gate trusts departures that a step made old", seed: 4, believed: .gateOutlivesSteps,
            Edit(.lease, "if gate[1] ~= run_id or stepped then", "if gate[1] ~= run_id then")),
        Mutant(
            "what a worker saw of the clock isn't heard", seed: 28, believed: .workersSeeNothing,
            Edit(.lease, "seen == 'stepped' or", "")),
        Mutant(
            "the script sees no step by itself", seed: 7, believed: .scriptsSeeNothing,
            Edit(nil, " or now - expected > CLOCK_STEP_US", "")),
        Mutant(
            "a step ends leases", seed: 6, believed: .leasesEndAtSteps,
            Edit(.lease, "if stepped then\n    for _, id in", "if false then\n    for _, id in")),
        Mutant(
            "a step brings a lost job's repeat forward", seed: 76, believed: .repeatsMindNoStep,
            Edit(.lease, "job.lost and job.unclear > 0 and due_after_step(job, gate[7]) or now", "now"),
            Edit(.lease, "if not owner and after_step > now and job.lost", "if false and job.lost"),
            Edit(
                nil, "return math.max(due, due_after_step(job, redis.call('HGET', GATE, 'stepped')))",
                "return math.max(due, now)")),
        Mutant(
            "a clock that is set back is trusted", seed: 4,
            Edit(nil, "local is_known = latest - now <= CLOCK_BACK_US", "local is_known = true")),
        Mutant(
            "a clock that is set right is trusted", seed: 125, believed: .rightIsNoStep,
            Edit(nil, "            is_step = true\n", "")),
        Mutant(
            "the moment of a step is forgotten", seed: 4,
            Edit(nil, "redis.call('HSET', GATE, 'stepped', stamp(now), 'behind'", "redis.call('HSET', GATE, 'behind'")),
        Mutant(
            "reclaim doesn't look at the clock", seed: 7,
            Edit(.reclaim, "note_step(ARGV[3],", "type(ARGV[3],")),
        Mutant(
            "what came to a lane before the step was known is sent", seed: 94,
            Edit(.lease, "if not owner and after_step > now and job.lost", "if false and job.lost")),
    ]
}
