import Testing

@testable import Configuration

@Suite struct JSON5ReaderTests {
    /// Without the lines, as plain JSON.
    private func flat(_ node: JSON5) -> String {
        switch node.value {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let text): "\"\(text)\""
        case .array(let elements): "[" + elements.map(flat).joined(separator: ",") + "]"
        case .object(let members): "{" + members.map { "\($0.key):\(flat($0.value))" }.joined(separator: ",") + "}"
        }
    }

    @Test(arguments: [
        ("{}", "{}"),
        ("// first\n{ a: 1, /* two\nlines */ 'b': [true, null,], }", "{a:1.0,b:[true,null]}"),
        ("\u{FEFF}{\"a\":\"b\"}", "{a:\"b\"}"),
        ("[+1, -2, .5, 5., 1e3, 1E-2, 0x1F, -0x10, 0, 0.25]", "[1.0,-2.0,0.5,5.0,1000.0,0.01,31.0,-16.0,0.0,0.25]"),
        ("[Infinity, -Infinity]", "[inf,-inf]"),
        (#"['it\'s', "\u00e9\x41\t", "\uD83C\uDFA7"]"#, "[\"it's\",\"éA\t\",\"🎧\"]"),
        ("'a\\\nb'", "\"ab\""),
        ("{ $key_1: 1, größe: 2, _: 3, null: 4 }", "{$key_1:1.0,größe:2.0,_:3.0,null:4.0}"),
        ("\u{A0}\u{2028}[1]\u{2003}", "[1.0]"),
        ("'//no comment'", "\"//no comment\""),
    ])
    func `what JSON5 allows is read`(text: String, expected: String) throws {
        let read = flat(try JSON5Reader.read(text))
        #expect(read == expected)
    }

    @Test(arguments: [
        ("", 1, 1, "a value is expected, but the file ends here"),
        ("{ a: 1 b: 2 }", 1, 8, "a comma or “}” is expected, not “b”"),
        ("{\n  a 1 }", 2, 5, "a colon after the key “a” is expected, not “1”"),
        ("{ a: 1 }\r\n{", 2, 1, "the end of the file is expected, not “{”"),
        ("{ a: yes }", 1, 9, "“yes” is no value; a text stands between quotation marks"),
        ("{ a: 'x\n' }", 1, 8, "the text ends before its quotation mark"),
        ("{ a: 'x", 1, 8, "the text that begins in line 1 has no end"),
        ("/* a\n", 2, 1, "the comment that begins in line 1 has no end"),
        ("{ a: 012 }", 1, 9, "“012” is no number"),
        ("{ a: 1.2.3 }", 1, 11, "“1.2.3” is no number"),
        ("{ a: 1px }", 1, 9, "“1px” is no number"),
        ("{ a: . }", 1, 7, "“.” is no number"),
        ("{ a: '\\uD83C' }", 1, 13, "half a character"),
        ("{ a: '\\x4' }", 1, 10, "2 hexadecimal digits are expected"),
        ("{\n  a: 1,\n  a: 2 }", 3, 4, "the key “a” stands here a second time; the first is in line 2"),
        ("[,]", 1, 2, "a value is expected, not “,”"),
        ("{ 1: 2 }", 1, 3, "a key is expected, not “1”"),
    ])
    func `what is no JSON5 is refused with its place`(text: String, line: Int, column: Int, message: String) {
        #expect(throws: JSON5Error(line: line, column: column, message: message)) { try JSON5Reader.read(text) }
    }

    @Test func `nesting has an end`() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSON5Error(line: 1, column: 33, message: "more than 32 levels deep")) {
            try JSON5Reader.read(deep)
        }
    }

    @Test func `each value knows its line`() throws {
        let node = try JSON5Reader.read("{\n a: 1,\r\n b: {\r c: 2 } }")
        guard case .object(let members) = node.value, case .object(let inner) = members[1].value.value else {
            Issue.record("an object in an object is expected")
            return
        }
        #expect(members.map(\.value.line) == [2, 3])
        #expect(inner[0].value.line == 4)
    }
}
