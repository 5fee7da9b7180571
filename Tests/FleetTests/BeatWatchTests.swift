import Testing

@testable import Fleet

@Suite struct `A watch over beats` {
    let start = ContinuousClock.now
    func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func `calls a worker dead when its beat stood still for the whole patience`() {
        var watch = BeatWatch(patience: .seconds(8))
        #expect(watch.see(["a": 1, "b": 1], at: at(0)).isEmpty)
        #expect(watch.see(["a": 2, "b": 1], at: at(4)).isEmpty)
        #expect(watch.see(["a": 3, "b": 1], at: at(7.9)).isEmpty)
        #expect(watch.see(["a": 4, "b": 1], at: at(8)) == ["b"])
    }

    @Test func `starts all over after Redis was away, since nobody could beat`() {
        var watch = BeatWatch(patience: .seconds(8))
        _ = watch.see(["a": 1], at: at(0))
        watch.forget()
        #expect(watch.see(["a": 1], at: at(60)).isEmpty)
        #expect(watch.see(["a": 1], at: at(67)).isEmpty)
        #expect(watch.see(["a": 1], at: at(68)) == ["a"])
    }

    @Test func `forgets a worker that left in order`() {
        var watch = BeatWatch(patience: .seconds(8))
        _ = watch.see(["a": 1], at: at(0))
        _ = watch.see([:], at: at(4))
        #expect(watch.see(["a": 1], at: at(9)).isEmpty)
    }

    @Test func `takes a beat that went backwards for a sign of life: the name was used again`() {
        var watch = BeatWatch(patience: .seconds(8))
        _ = watch.see(["a": 100], at: at(0))
        _ = watch.see(["a": 1], at: at(7))
        #expect(watch.see(["a": 1], at: at(9)).isEmpty)
    }
}
