import Queue

/// Redis' clock was set forward, and no call has told the scripts.
struct UntoldStep {
    /// Which of all times that the clock was set.
    let number: Int
    /// In true time.
    let at: Int64
    /// Whether it had been set back before and no worker had noticed that either, so that those who read it before see nothing.
    let isHidden: Bool
}

/// Somebody sets Redis' clock, while true time goes its way.
extension Walk {
    /// In every second walk of each kind of trouble; the others keep the simple time in which all else is easier to meet.
    var setsClock: Bool { seed / 4 % 2 == 1 }

    /// Often while a request is on its way, and soon back to where it was.
    var clockWeight: Int {
        guard setsClock else { return 0 }
        return (apple.underWay.isEmpty ? 6 : 25) * (ahead == 0 ? 1 : 3)
    }

    /// Then what workers ask for first is what a step can spoil.
    var isClockNew: Bool { lastSet.map { steady - $0 < 2 * model.window } ?? false }

    func setClock() async throws {
        let back = ahead == 0 ? 0 : -ahead
        let by: Int = random.weighted([
            (ahead == 0 ? 0 : 60, Int(back)),
            // So little that only workers see it.
            (30, random.number(800_000...4_000_000)),
            (30, random.number(5_000_001...3_600_000_000)),
            (15, -random.number(800_000...4_000_000)), (15, -random.number(5_000_001...3_600_000_000)),
        ])
        clockSets += 1
        lastSet = steady
        if by > 0 { untoldSteps.append(UntoldStep(number: clockSets, at: steady, isHidden: model.behind.isEmpty)) }
        ahead += Int64(by)
        model.now += Int64(by)
        try await world.setClock(now)
        say("Redis' clock is set by \(by) µs")
    }

    /// A worker reads the clock before its first call, and compares every later answer with that.
    func readClock(_ worker: String) -> Mind.Clock {
        let clock = minds[worker]?.clock ?? Mind.Clock(ahead: ahead, setsBefore: clockSets)
        minds[worker]?.clock = clock
        return clock
    }

    /// Whether a worker can't know that Redis' clock was set forward within this time.
    func isBlind(_ clock: Mind.Clock, within time: Int64) -> Bool {
        untoldSteps.contains {
            ($0.number <= clock.setsBefore || $0.isHidden && clock.ahead >= ahead) && $0.at + time > steady
        }
    }

    /// A request that goes out blindly tells nothing about those that it overtakes, whether or not they were written yet.
    func overtake(_ lines: Set<String>) {
        apple.overtake(lines)
        for (worker, mind) in minds {
            for (index, grip) in mind.grips.enumerated()
            where model.jobs[grip.job.id]?.lines.isDisjoint(with: lines) == false {
                minds[worker]?.grips[index].isOvertaken = true
            }
        }
    }
}
