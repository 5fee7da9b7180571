import Refunds
import Testing

@Suite struct JSONCanonicalTests {
    /// RFC 8785, section 3.2.3 and 3.2.2.2.
    @Test func `the example of RFC 8785 comes out as printed there`() throws {
        let input = #"""
            {
              "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
              "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
              "literals": [null, true, false]
            }
            """#
        let expected =
            #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
            + #""string":"€$\u000f\nA'B\"\\\\\"/"}"#
        #expect(try JSON(reading: input).canonicalText == expected)
    }

    /// RFC 8785, section 3.2.3: by UTF-16 code units, so the emoji stands before U+FB33.
    @Test func `keys stand in the order of their UTF-16 code units`() throws {
        let input = #"""
            {"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",
             "\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}
            """#
        let sorted = try JSON(reading: JSON(reading: input).canonical).object?.members.compactMap(\.value.string)
        #expect(
            sorted == [
                "Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis", "Euro Sign",
                "Emoji: Grinning Face", "Hebrew Letter Dalet With Dagesh",
            ])
    }

    @Test func `the order agrees with UTF-16 for keys of every kind`() throws {
        let pieces = [
            "", "a", "b", "\u{7F}", "\u{80}", "\u{7FF}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "😀",
        ]
        let keys = Set(pieces.flatMap { first in pieces.map { first + $0 } })
        let object = JSONObject.from(keys.sorted { $0.hashValue < $1.hashValue })
        let written = try JSON(reading: JSON.object(object).canonical).object?.keys
        #expect(written == keys.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) })
    }

    /// RFC 8785, appendix B, by the bits of the double.
    @Test(
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"), (0x8000_0000_0000_0001, "-5e-324"),
            (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"), (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"), (0xC340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"), (0x44B5_2D02_C7E1_4AF6, "1e+23"),
            (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"),
            (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"), (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"),
            (0x444B_1AE4_D6E2_EF50, "1e+21"), (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"),
            (0x3EB0_C6F7_A0B5_ED8D, "0.000001"), (0x41B3_DE43_5555_5553, "333333333.3333332"),
            (0x41B3_DE43_5555_5554, "333333333.33333325"), (0x41B3_DE43_5555_5555, "333333333.3333333"),
            (0x41B3_DE43_5555_5556, "333333333.3333334"), (0x41B3_DE43_5555_5557, "333333333.33333343"),
            (0xBECB_F647_612F_3696, "-0.0000033333333333333333"), (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
        ] as [(UInt64, String)])
    func `numbers look as ECMAScript prints them`(_ bits: UInt64, _ expected: String) throws {
        let written = "\(Double(bitPattern: bits))"
        #expect(try JSON(reading: written).canonicalText == expected)
    }

    @Test func `what is canonical stays as it is`() throws {
        var random = SplitMix(seed: 42)
        for _ in 0..<300 {
            let once = JSON.random(depth: 4, &random).canonical
            #expect(try JSON(reading: once).canonical == once)
        }
    }

    @Test func `the order of keys and the white space of the input leave no trace`() throws {
        let one = try JSON(reading: #"{"b":[1, 2],"a":{"y":"ü","x":null}}"#)
        let other = try JSON(reading: #"{ "a" : {"x":null,"y":"\u00fc"}, "b":[1,2] }"#)
        #expect(one.canonical == other.canonical)
    }
}

extension JSONObject {
    fileprivate static func from(_ keys: [String]) -> JSONObject {
        var object = JSONObject()
        for key in keys { object[key] = .bool(true) }
        return object
    }
}

extension JSON {
    static func random(depth: Int, _ random: inout SplitMix) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64.random(in: -9_007_199_254_740_991...9_007_199_254_740_991, using: &random))
        case 3: return number(&random)
        case 4: return .string(text(&random))
        case 5:
            return .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in .random(depth: depth - 1, &random) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                object[text(&random)] = .random(depth: depth - 1, &random)
            }
            return .object(object)
        }
    }

    private static func number(_ random: inout SplitMix) -> JSON {
        var double = Double(bitPattern: random.next())
        while !double.isFinite { double = Double(bitPattern: random.next()) }
        return (try? JSON(reading: "\(double)")) ?? .null
    }

    static func text(_ random: inout SplitMix) -> String {
        let alphabet: [Unicode.Scalar] = [
            "a", "Z", "0", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "é", "€", "\u{FFFF}", "🙂",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0..<6, using: &random) {
            if let scalar = alphabet.randomElement(using: &random) { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
