import Testing

@testable import Refunds

@Suite struct JSONPathTests {
    @Test(
        arguments: [
            ("a", [JSONPath.Step.key("a")]),
            ("request.items.0.SKU", [.key("request"), .key("items"), .index(0), .key("SKU")]),
            ("request.items[12].SKU", [.key("request"), .key("items"), .index(12), .key("SKU")]),
            ("", nil), ("a..b", nil), (".a", nil), ("a.", nil), ("a.99999999999999999999", nil),
        ] as [(String, [JSONPath.Step]?)])
    func `paths are read with dots and brackets`(_ text: String, _ expected: [JSONPath.Step]?) {
        #expect(JSONPath.steps(of: text) == expected)
    }

    @Test(arguments: [
        ("", "a b", #"["a b"]"#), ("request", "a\nb", #"request["a\nb"]"#), ("request", "SKU", "request.SKU"),
        ("request", "", #"request[""]"#),
    ])
    func `keys from outside are quoted`(_ path: String, _ key: String, _ expected: String) {
        #expect(JSONPath.append(path, .key(key)) == expected)
    }

    @Test func `a long key is cut`() {
        let path = JSONPath.append("", .key(String(repeating: "k", count: 5000)))
        #expect(path.utf8.count < 80)
    }
}
