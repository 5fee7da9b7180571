import Refunds
import Testing

@Suite struct JSONReaderTests {
    @Test(arguments: [
        ("", JSONError.Code.unexpectedEnd, 0, ""),
        ("  ", .unexpectedEnd, 2, ""),
        (#"{"a":1,"a":2}"#, .duplicateKey, 7, "a"),
        (#"{"request":{"items":[{"SKU":"x","SKU":"y"}]}}"#, .duplicateKey, 32, "request.items[0].SKU"),
        (#"{"a\u0062":1,"ab":2}"#, .duplicateKey, 13, "ab"),
        (#"{"a b":{"c":tru}}"#, .unexpectedCharacter, 15, #"["a b"].c"#),
        ("[1,2,]", .unexpectedCharacter, 5, "[2]"),
        ("[1 2]", .unexpectedCharacter, 3, ""),
        (#"{"a":1,}"#, .unexpectedCharacter, 7, ""),
        ("{a:1}", .unexpectedCharacter, 1, ""),
        ("{'a':1}", .unexpectedCharacter, 1, ""),
        ("nul", .unexpectedEnd, 3, ""),
        ("NaN", .unexpectedCharacter, 0, ""),
        ("{} {}", .trailingCharacters, 3, ""),
        ("01", .malformedNumber, 0, ""),
        ("-", .malformedNumber, 0, ""),
        ("1.", .malformedNumber, 0, ""),
        (".5", .unexpectedCharacter, 0, ""),
        ("+1", .unexpectedCharacter, 0, ""),
        ("[1e]", .malformedNumber, 1, "[0]"),
        ("1e999", .numberTooLarge, 0, ""),
        ("\"a\nb\"", .controlCharacter, 2, ""),
        (#""\x""#, .malformedEscape, 1, ""),
        (#""\u12G4""#, .malformedEscape, 1, ""),
        (#""\ud83d""#, .unpairedSurrogate, 1, ""),
        (#""\ud83dx""#, .unpairedSurrogate, 1, ""),
        (#""\ude00""#, .unpairedSurrogate, 1, ""),
        (#""\ud83d\u0041""#, .unpairedSurrogate, 1, ""),
        (#""abc"#, .unexpectedEnd, 4, ""),
        (#""abc\"#, .unexpectedEnd, 5, ""),
        ("\u{FEFF}{}", .byteOrderMark, 0, ""),
        ("// no\n1", .unexpectedCharacter, 0, ""),
    ])
    func `what is no strict JSON is refused with its place`(
        _ text: String, _ code: JSONError.Code, _ offset: Int, _ path: String
    ) {
        let error = #expect(throws: JSONError.self) { try JSON(reading: text) }
        #expect(error?.code == code)
        #expect(error?.offset == offset)
        #expect(error?.path == path)
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
        ] as [[UInt8]])
    func `a string that is not UTF-8 is refused`(_ bytes: [UInt8]) {
        let error = #expect(throws: JSONError.self) { try JSON(reading: [0x22] + bytes + [0x22]) }
        #expect(error?.code == .notUTF8)
        #expect(error?.offset == 1)
    }

    @Test(arguments: UInt8.min ... .max)
    func `a byte means the same wherever it stands in a string`(_ byte: UInt8) {
        for place in 0..<24 {
            var text = [UInt8](repeating: UInt8(ascii: "a"), count: 24)
            text[place] = byte
            let read = Result { () throws(JSONError) in try JSON(reading: [0x22] + text + [0x22]).string }
            switch byte {
            case 0..<0x20: #expect(failure(read) == .controlCharacter)
            case UInt8(ascii: "\""): #expect(failure(read) == .trailingCharacters)
            case UInt8(ascii: "\\"): #expect(failure(read) == (place == 23 ? .unexpectedEnd : .malformedEscape))
            case 0x80...: #expect(failure(read) == .notUTF8)
            default: #expect((try? read.get()) == String(decoding: text, as: UTF8.self))
            }
        }
    }

    private func failure(_ result: Result<String?, JSONError>) -> JSONError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test func `numbers keep their digits`() throws {
        let text = "[4990,4990.0,1e3,-0,12345678901234567890,0.1]"
        #expect(try JSON(reading: text).text == text)
        #expect(try JSON(reading: text).array?.map(\.integer) == [4990, nil, nil, 0, nil, nil])
    }

    @Test func `escapes become the characters that they mean`() throws {
        #expect(try JSON(reading: #""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude42""#).string == "\"\\/\u{8}\u{C}\n\r\té🙂")
    }

    @Test func `white space may stand between all parts`() throws {
        #expect(try JSON(reading: " {\t\"a\" :\r\n[ 1 , 2 ] , \"b\" : { } } ").text == #"{"a":[1,2],"b":{}}"#)
    }

    @Test func `thirty-two levels are read, and the thirty-third is refused`() throws {
        let deep = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        #expect(try JSON(reading: deep).text == deep)
        let error = #expect(throws: JSONError.self) { try JSON(reading: "[" + deep + "]") }
        #expect(error?.code == .tooDeep)
        #expect(error?.offset == 32)
    }

    @Test func `a key that comes twice is found among many`() {
        let members = (0..<500).map { "\"key\($0)\":\($0)" } + ["\"key321\":0"]
        let error = #expect(throws: JSONError.self) { try JSON(reading: "{" + members.joined(separator: ",") + "}") }
        #expect(error?.code == .duplicateKey)
        #expect(error?.path == "key321")
    }

    @Test func `cutting a document anywhere makes it unreadable`() throws {
        let bytes = Array(Example.contract.utf8)
        for end in 0..<(bytes.count - 1) {
            #expect(throws: JSONError.self, "cut at \(end)") { try JSON(reading: Array(bytes[..<end])) }
        }
    }
}
