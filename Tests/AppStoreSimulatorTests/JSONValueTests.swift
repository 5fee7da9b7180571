import Testing

@testable import AppStoreSimulator

@Suite struct JSONValueTests {
    @Test(arguments: [
        "null", "true", "[]", "{}", "0", "-1.5e+10", #""a\"\\\n\u0001é""#, #"{"a":[1,{"b":null}],"a":2}"#, "1e400",
        "12345678901234567890123",
    ])
    func `what is read is written the same`(text: String) {
        #expect(JSONValue(reading: Array(text.utf8))?.text == text)
    }

    @Test(arguments: [
        "", " ", "nul", "[1,]", "{\"a\"}", "{a:1}", "01", "1.", ".5", "+1", "--1", "\"", "\"\u{1}\"", #""\x""#,
        #""\u12""#,
        #""\ud800""#, #""\ud800\u0041""#, #""\u+123""#, "[1] 2", "NaN", "'a'", "{\"a\":1,}", "[", "1e", "\u{feff}1",
        String(repeating: "[", count: 70) + String(repeating: "]", count: 70),
    ])
    func `what is no JSON is refused`(text: String) {
        #expect(JSONValue(reading: Array(text.utf8)) == nil)
    }

    @Test func `escapes, also of characters beyond the basic plane, become themselves`() {
        #expect(JSONValue(reading: Array(#""\ud83d\ude00\/\t""#.utf8))?.string == "😀/\t")
        #expect(JSONValue(reading: [0x22, 0xFF, 0x22]) == nil)
    }

    @Test func `of two members with a name the last counts, and null is none`() {
        let value = JSONValue(reading: Array(#"{"a":1,"a":2,"b":null}"#.utf8))
        #expect(value?["a"]?.integer == 2)
        #expect(value?["b"] == nil)
        #expect(JSONValue(reading: Array("2.0".utf8))?.integer == nil)
    }
}
