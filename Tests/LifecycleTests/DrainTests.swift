import Lifecycle
import Testing

@Suite struct DrainTests {
    /// Redis, which is cancelled; a worker, which drains; a board, which is cancelled.
    private func running() -> Drain {
        var drain = Drain(canDrain: [false, true, false])
        #expect(drain.begin() == [.launch(0)])
        #expect(drain.started(0) == [.launch(1)])
        #expect(drain.started(1) == [.launch(2)])
        #expect(drain.started(2) == [])
        return drain
    }

    @Test func `services end in reverse, the draining ones by themselves`() {
        var drain = running()
        #expect(drain.stopRequested() == [.startDeadline, .cancel(2)])
        #expect(drain.ended(2) == [.quiet(1)])
        #expect(drain.phase == .quiet)
        #expect(drain.ended(1) == [.cancel(0)])
        #expect(drain.ended(0) == [.finish])
        #expect(drain.phase == .stopped)
    }

    @Test func `a deadline makes the draining one give back`() {
        var drain = running()
        _ = drain.stopRequested()
        _ = drain.ended(2)
        #expect(drain.deadlinePassed() == [.startPatience, .cancel(1)])
        #expect(drain.phase == .handingBack)
        #expect(drain.ended(1) == [.cancel(0)])
        #expect(drain.ended(0) == [.finish])
    }

    @Test func `a deadline before its turn lets the draining one give back at once`() {
        var drain = running()
        _ = drain.stopRequested()
        #expect(drain.deadlinePassed() == [.startPatience])
        #expect(drain.ended(2) == [.cancel(1)])
    }

    @Test func `a second wish ends the process, in every phase`() {
        var quiet = running()
        _ = quiet.stopRequested()
        #expect(quiet.stopRequested() == [.endAtOnce])
        #expect(quiet.stopRequested() == [])

        var late = running()
        _ = late.stopRequested()
        _ = late.deadlinePassed()
        #expect(late.stopRequested() == [.endAtOnce])
    }

    @Test func `who doesn't give back in time is left behind`() {
        var drain = running()
        _ = drain.stopRequested()
        _ = drain.deadlinePassed()
        #expect(drain.patienceEnded() == [.endAtOnce])
    }

    @Test func `a service that is done takes the others with it`() {
        var drain = running()
        #expect(drain.ended(1) == [.startDeadline, .cancel(2)])
        #expect(drain.ended(2) == [.cancel(0)])
        #expect(drain.ended(0) == [.finish])
    }

    @Test func `an early end of another service doesn't disturb the order`() {
        var drain = running()
        _ = drain.stopRequested()
        #expect(drain.ended(0) == [])
        #expect(drain.ended(2) == [.quiet(1)])
        #expect(drain.ended(1) == [.finish])
    }

    @Test func `a stop while starting cancels what starts and launches nothing more`() {
        var drain = Drain(canDrain: [false, true, false])
        _ = drain.begin()
        _ = drain.started(0)
        #expect(drain.stopRequested() == [.startDeadline, .cancel(1)])
        #expect(drain.started(1) == [])
        #expect(drain.ended(1) == [.cancel(0)])
        #expect(drain.ended(0) == [.finish])
    }

    @Test func `a service that can't start takes down those that did`() {
        var drain = Drain(canDrain: [false, true])
        _ = drain.begin()
        _ = drain.started(0)
        #expect(drain.ended(1) == [.startDeadline, .cancel(0)])
    }

    @Test func `nothing to run is done`() {
        var drain = Drain(canDrain: [])
        #expect(drain.begin() == [.finish])
    }
}
