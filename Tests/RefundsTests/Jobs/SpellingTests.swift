import Testing

@testable import Refunds

@Suite struct SpellingTests {
    @Test(arguments: [
        ("refundAmout", "refundAmount"), ("refundamount", "refundAmount"), ("refund_amount", "refundAmount"),
        ("sku", "SKU"), ("SKUs", "SKU"), ("revok", "revoke"),
    ])
    func `a slip of the finger is recognized`(_ word: String, _ meant: String) {
        #expect(Spelling.nearest(to: word, among: ["refundType", "refundAmount", "SKU", "revoke"]) == meant)
    }

    @Test(arguments: ["", "x", "amount", "currency", String(repeating: "refundAmount", count: 50)])
    func `what is far from everything suggests nothing`(_ word: String) {
        #expect(Spelling.nearest(to: word, among: ["refundType", "refundAmount", "revoke"]) == nil)
    }

    @Test(arguments: [("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abcd", "abdc", 1), ("kitten", "sitting", 3)])
    func `distances count insertions, deletions, substitutions and swaps`(_ a: String, _ b: String, _ expected: Int) {
        #expect(Spelling.distance(Array(a.utf8), Array(b.utf8)) == expected)
        #expect(Spelling.distance(Array(b.utf8), Array(a.utf8)) == expected)
    }
}
