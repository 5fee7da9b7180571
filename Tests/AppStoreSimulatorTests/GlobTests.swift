import Testing

@testable import AppStoreSimulator

@Suite struct GlobTests {
    @Test(arguments: [
        ("4711", "4711", true), ("4711", "47112", false), ("*", "", true), ("*", "anything", true),
        ("47*", "4711", true),
        ("*11", "4711", true), ("4*1", "4711", true), ("47*711", "4711", false), ("a*b*c", "a-b-c", true),
        ("a*b*c", "acb", false), ("a*b*b", "ab", false), ("", "", true), ("", "x", false), ("**", "x", true),
    ])
    func `a star stands for any text`(pattern: String, text: String, isMatch: Bool) {
        #expect(Glob(pattern).matches(text) == isMatch)
    }
}
