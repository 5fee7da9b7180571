import Testing

@testable import Fleet

@Suite struct `The drivers of an app` {
    func live(_ workers: Int, apps: Set<String>) -> [String: Set<String>] {
        Dictionary(uniqueKeysWithValues: (0..<workers).map { ("worker-\($0)", apps) })
    }

    func drivers(of app: String, _ live: [String: Set<String>]) -> Set<String> {
        Set(live.keys.filter { Drivers.includes($0, for: app, among: live) })
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 2), (20, 2)])
    func `are two, or all where there are fewer`(workers: Int, expected: Int) {
        let live = live(workers, apps: ["a"])
        #expect(drivers(of: "a", live).count == expected)
    }

    @Test func `are spread evenly`() {
        let apps = (0..<1000).map { "app\($0)" }
        let live = live(10, apps: Set(apps))
        var load: [String: Int] = [:]
        for app in apps { for driver in drivers(of: app, live) { load[driver, default: 0] += 1 } }
        for worker in live.keys { #expect((120...280).contains(load[worker, default: 0]), "\(worker): \(load)") }
    }

    @Test func `change only where the worker that left was one of them`() {
        let apps = (0..<200).map { "app\($0)" }
        let before = live(6, apps: Set(apps))
        let after = before.filter { $0.key != "worker-3" }
        for app in apps where !drivers(of: app, before).contains("worker-3") {
            #expect(drivers(of: app, before) == drivers(of: app, after))
        }
    }

    @Test func `are among those that serve it`() {
        var live = live(5, apps: ["b"])
        live["worker-9"] = ["a"]
        #expect(drivers(of: "a", live).contains("worker-9"))
        #expect(Drivers.includes("worker-9", for: "a", among: live))
    }
}
