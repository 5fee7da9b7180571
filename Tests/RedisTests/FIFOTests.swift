import Testing

@testable import Redis

@Suite struct FIFOTests {
    @Test func `elements leave in the order in which they came, over many refills`() {
        var queue = FIFO<Int>()
        var (next, expected) = (0, 0)
        for round in 0..<500 {
            for _ in 0..<(round % 7 + 1) {
                queue.append(next)
                next += 1
            }
            for _ in 0..<(round % 5) {
                guard let first = queue.first else { break }
                #expect(first == expected)
                #expect(queue.popFirst() == expected)
                expected += 1
            }
            #expect(queue.count == next - expected)
        }
        #expect(queue.takeAll() == Array(expected..<next))
        #expect(queue.isEmpty)
        #expect(queue.popFirst() == nil)
    }

    @Test func `elements can be found, changed and removed`() {
        var queue = FIFO<Int>()
        for number in 0..<5 { queue.append(number) }
        _ = queue.popFirst()
        #expect(!queue.contains(0))
        #expect(queue.contains(4))
        let removed = [2, 0].map { number in queue.removeFirst { $0 == number } }
        #expect(removed == [true, false])
        let changed = [30, 31].map { number in queue.updateFirst(where: { $0 == 3 }, { $0 = number }) }
        #expect(changed == [true, false])
        #expect(queue.min { -$0 } == -30)
        #expect(queue.takeAll() == [1, 30, 4])
    }
}
