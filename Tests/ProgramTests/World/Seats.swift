/// So many worlds at a time: each is a handful of processes, and a machine with a hundred of them keeps no time at all.
actor Seats {
    static let shared = Seats(free: 4)

    private var free: Int
    private var queue: [CheckedContinuation<Void, Never>] = []

    private init(free: Int) { self.free = free }

    func take() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { queue.append($0) }
    }

    func give() {
        if queue.isEmpty { free += 1 } else { queue.removeFirst().resume() }
    }
}
