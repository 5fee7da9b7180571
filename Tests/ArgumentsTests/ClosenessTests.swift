import Testing

@testable import Arguments

@Suite struct ClosenessTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "abc", 0), ("redirve", "redrive", 1), ("enqueu", "enqueue", 1),
        ("kitten", "sitting", 3), ("ab", "ba", 1), ("worker", "wroker", 1), ("abc", "xyz", 3),
    ])
    func `distance counts changes, additions, losses and swaps`(left: String, right: String, distance: Int) {
        #expect(editDistance(left, right) == distance)
        #expect(editDistance(right, left) == distance)
    }

    @Test(arguments: [
        ("enque", "enqueue"), ("wroker", "worker"), ("WORKER", "worker"), ("sim", "simulate"), ("xyz", nil), ("", nil),
        ("re", nil),
    ])
    func `only a near word is offered`(word: String, expected: String?) {
        #expect(closest(to: word, in: ["enqueue", "worker", "simulate", "refund", "revoke"]) == expected)
    }
}
