import Testing

@testable import Fleet

@Suite struct `A worker's slots` {
    @Test func `all go to an app that is alone`() {
        let slots = Slots(total: 64, apps: 1)
        #expect(slots.free(for: "a") == 64)
    }

    @Test func `go to one app by a quarter at most, where there are several`() {
        var slots = Slots(total: 64, apps: 3)
        slots.take(16, for: "a")
        #expect(slots.free(for: "a") == 0)
        #expect(slots.free(for: "b") == 16)
    }

    @Test func `are never more than the worker has`() {
        var slots = Slots(total: 8, apps: 9)
        for app in ["a", "b", "c", "d"] { slots.take(2, for: app) }
        #expect(slots.free(for: "e") == 0)
        slots.give(1, from: "a")
        #expect(slots.free(for: "e") == 1)
    }

    @Test func `leave each app at least one, however few there are`() {
        #expect(Slots(total: 2, apps: 5).free(for: "a") == 1)
    }
}
