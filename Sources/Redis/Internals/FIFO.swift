/// A queue whose head is taken in constant time.
struct FIFO<Element> {
    private var storage: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == storage.count }
    var count: Int { storage.count - head }

    var first: Element? { isEmpty ? nil : storage[head] }

    mutating func append(_ element: Element) { storage.append(element) }

    mutating func popFirst() -> Element? {
        guard head < storage.count else { return nil }
        defer {
            storage[head] = nil
            head += 1
            if head > 64, head * 2 > storage.count {
                storage.removeFirst(head)
                head = 0
            }
        }
        return storage[head]
    }

    /// Everything in order; the queue is empty afterwards.
    mutating func takeAll() -> [Element] {
        defer { (storage, head) = ([], 0) }
        return storage[head...].compactMap { $0 }
    }

    mutating func replaceAll(with elements: [Element]) { (storage, head) = (elements, 0) }

    /// Changes the first element that `isMatch` accepts; false when there is none.
    mutating func updateFirst(where isMatch: (Element) -> Bool, _ change: (inout Element) -> Void) -> Bool {
        for index in head..<storage.count {
            guard var element = storage[index], isMatch(element) else { continue }
            change(&element)
            storage[index] = element
            return true
        }
        return false
    }

    /// Removes the first element that `isMatch` accepts; false when there is none.
    mutating func removeFirst(where isMatch: (Element) -> Bool) -> Bool {
        for index in head..<storage.count {
            guard let element = storage[index], isMatch(element) else { continue }
            storage.remove(at: index)
            return true
        }
        return false
    }

    func min<Key: Comparable>(of key: (Element) -> Key) -> Key? {
        var least: Key?
        for index in head..<storage.count {
            guard let element = storage[index] else { continue }
            let candidate = key(element)
            least = least.map { Swift.min($0, candidate) } ?? candidate
        }
        return least
    }
}

extension FIFO where Element: Equatable {
    func contains(_ element: Element) -> Bool { storage[head...].contains(element) }
}
