import AppStoreSimulator
import Testing

/// Every mistake of form that Apple has a code for, over the wire.
@Suite struct BodyCheckTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let code: Int
        let endpoint: String
        let body: String
        /// Why this body gets this code.
        let because: String

        init(_ code: Int, _ because: String, _ endpoint: String, _ body: String) {
            (self.code, self.because, self.endpoint, self.body) = (code, because, endpoint, body)
        }
        init(_ code: Int, _ because: String, _ body: String) { self.init(code, because, .refund, body) }

        var testDescription: String { "\(code) \(endpoint): \(because)" }
    }

    /// A right body of that call in which one text is replaced by another.
    private static func refund(_ old: String, _ new: String) -> String { changed(Bodies.refund(), old, new) }
    private static func revoke(_ old: String, _ new: String) -> String { changed(Bodies.revoke(), old, new) }
    private static func custom(_ old: String, _ new: String) -> String {
        changed(Bodies.refund(type: "CUSTOM", amount: 2500), old, new)
    }
    private static func changed(_ body: String, _ old: String, _ new: String) -> String {
        precondition(body.contains(old), "nothing to change: \(old)")
        return body.replacing(old, with: new)
    }
    private static let item =
        #"{"SKU":"audiobook.4711","refundReason":"FULFILLMENT_ISSUE","refundType":"FULL","revoke":true}"#
    private static let reason = #""refundReason":"FULFILLMENT_ISSUE","#

    static let mistakes: [Mistake] = [
        Mistake(4_000_173, "no body", ""),
        Mistake(4_000_173, "not JSON", #"{"requestInfo":"#),
        Mistake(4_000_173, "not an object", "[]"),
        Mistake(4_000_173, "not UTF-8 escapes", #"{"requestInfo":"\ud800"}"#),
        Mistake(4_000_079, "no requestInfo", "{}"),
        Mistake(4_000_079, "requestInfo is null", .revoke, #"{"requestInfo":null}"#),
        Mistake(4_000_079, "no requestInfo", .cancel, #"{"storefront":"USA"}"#),
        Mistake(4_000_173, "requestInfo is a text", #"{"requestInfo":"x"}"#),
        Mistake(4_000_080, "no id", .cancel, #"{"requestInfo":{}}"#),
        Mistake(4_000_081, "not a UUID", #"{"requestInfo":{"requestReferenceId":"case-4711"}}"#),
        Mistake(
            4_000_081, "UUID without dashes", .cancel,
            #"{"requestInfo":{"requestReferenceId":"1f0c2a526b0e4b6e9d553a2f6f1f9a01"}}"#),
        Mistake(4_000_081, "a number", .revoke, #"{"requestInfo":{"requestReferenceId":17}}"#),
        Mistake(
            4_000_033, "account token is no UUID",
            #"{"requestInfo":{"requestReferenceId":"1f0c2a52-6b0e-4b6e-9d55-3a2f6f1f9a01","appAccountToken":"me"}}"#),
        Mistake(4_000_028, "storefront in small letters", refund("DEU", "deu")),
        Mistake(4_000_028, "storefront of two letters", .revoke, revoke("USA", "US")),
        Mistake(4_000_028, "storefront empty", .cancel, changed(Bodies.cancel(), "USA", "")),
        Mistake(4_000_159, "no risking preference", refund(#""refundRiskingPreference":false,"#, "")),
        Mistake(4_000_159, "no risking preference", .revoke, revoke(#""refundRiskingPreference":true,"#, "")),
        Mistake(4_000_173, "risking preference is a text", refund(#"Preference":false"#, #"Preference":"no""#)),
        Mistake(4_000_053, "currency in small letters", refund("EUR", "eur")),
        Mistake(4_000_101, "no items", refund(#""items":[\#(item)],"#, "")),
        Mistake(4_000_173, "items is an object", refund("[\(item)]", item)),
        Mistake(4_000_160, "items is empty", refund(item, "")),
        Mistake(4_000_102, "an item is null", refund(item, "null")),
        Mistake(4_000_105, "no SKU", refund(#""SKU":"audiobook.4711","#, "")),
        Mistake(4_000_122, "an empty SKU", refund("audiobook.4711", "")),
        Mistake(4_000_087, "a SKU of 129", refund("audiobook.4711", String(repeating: "s", count: 129))),
        Mistake(4_000_156, "no reason", refund(reason, "")),
        Mistake(4_000_156, "no reason", .revoke, revoke(#""refundReason":"OTHER","#, "")),
        Mistake(4_000_124, "an unknown reason", refund("FULFILLMENT_ISSUE", "BORED")),
        Mistake(4_000_124, "a reason in small letters", .revoke, revoke("OTHER", "other")),
        Mistake(4_000_157, "no type", refund(#""refundType":"FULL","#, "")),
        Mistake(4_000_157, "no type", .revoke, revoke(#""refundType":"PRORATED","#, "")),
        Mistake(4_000_123, "an unknown type", refund("FULL\"", "HALF\"")),
        Mistake(4_000_123, "CUSTOM for a revoke", .revoke, revoke("PRORATED", "CUSTOM")),
        Mistake(4_000_153, "CUSTOM without an amount", refund(#""FULL""#, #""CUSTOM""#)),
        Mistake(4_000_153, "a fraction", custom("2500", "2500.5")),
        Mistake(4_000_153, "a text", custom("2500", #""2500""#)),
        Mistake(4_000_153, "more than 64 bits", custom("2500", "25000000000000000000")),
        Mistake(4_000_154, "zero", custom("2500", "0")),
        Mistake(4_000_154, "negative", custom("2500", "-2500")),
        Mistake(4_000_155, "an amount with FULL", custom("CUSTOM", "FULL")),
        Mistake(4_000_155, "an amount with PRORATED", custom("CUSTOM", "PRORATED")),
        Mistake(4_000_155, "an amount for a revoke", .revoke, revoke(#","storefront":"USA""#, #","refundAmount":10"#)),
        Mistake(4_000_132, "half a cent", custom("2500", "2505")),
        Mistake(4_000_132, "half a yen", changed(custom("2500", "2500"), "EUR", "JPY")),
        Mistake(4_000_173, "no revoke", refund(#","revoke":true"#, "")),
        Mistake(4_000_194, "the same SKU twice", refund(item, item + "," + item)),
        Mistake(4_000_158, "the test reason in production", refund("FULFILLMENT_ISSUE", "SIMULATE_REFUND_DECLINE")),
        Mistake(4_000_158, "the test reason in production", .revoke, revoke("OTHER", "SIMULATE_REFUND_DECLINE")),
    ]

    @Test(arguments: mistakes)
    func `a mistake gets Apple's code and is not processed`(mistake: Mistake) async throws {
        try await withSimulator { world in
            let reply = await world.call(mistake.endpoint, "4711", mistake.body)
            #expect(reply.status == 400)
            #expect(reply.code == mistake.code)
            #expect(reply.object["errorMessage"] is String)
            #expect(reply.values(of: "Content-Type") == ["application/json"])
            #expect(await world.simulator.report().processed == 0)
        }
    }

    @Test func `the right bodies of all kinds pass`() async throws {
        let bodies: [(String, String)] = [
            (.refund, Bodies.refund()), (.refund, Bodies.refund(type: "PRORATED")),
            (.refund, Bodies.refund(type: "CUSTOM", amount: 2500)),
            (.refund, Bodies.refund(sku: String(repeating: "ß", count: 128), reason: "MODIFY_ITEMS_REFUND")),
            (.refund, Self.refund(#"{"requestInfo":{"#, #"{"requestInfo":{"appAccountToken":"","#)),
            (.refund, Self.refund(#","currency":"EUR","storefront":"DEU""#, "")),
            (.refund, Self.refund(Self.item, Self.item + "," + Self.item.replacing("4711", with: "4712"))),
            (.revoke, Bodies.revoke(type: "FULL")), (.revoke, Bodies.revoke()), (.cancel, Bodies.cancel()),
        ]
        try await withSimulator { world in
            for (number, (endpoint, body)) in bodies.enumerated() {
                #expect(await world.call(endpoint, "purchase\(number)", body).status == 200, "\(body)")
            }
        }
    }

    @Test func `the sandbox declines when every item asks for it`() async throws {
        let decline = Bodies.refund(reason: "SIMULATE_REFUND_DECLINE")
        let partly = Self.refund(
            Self.item,
            Self.item + ","
                + Self.item.replacing("4711", with: "1").replacing("FULFILLMENT_ISSUE", with: "SIMULATE_REFUND_DECLINE")
        )
        try await withSimulator(app: #"environment: "sandbox""#) { world in
            #expect(await world.call(.refund, "4711", decline).status == 200)
            #expect(await world.call(.refund, "4711", partly).code == 4_000_184)
            #expect(
                await world.call(.refund, "4711", Bodies.refund()).status == 200,
                "declined money can be asked for again")
            #expect(await world.simulator.report().refunds.count == 1)
        }
    }

    @Test func `the number of items has a limit that can be set`() async throws {
        try await withSimulator("maximumItems: 1") { world in
            let two = Self.refund(Self.item, Self.item + "," + Self.item.replacing("4711", with: "4712"))
            #expect(await world.call(.refund, "4711", two).code == 4_000_136)
        }
    }

    @Test func `fields that Apple doesn't document are noted and can be refused`() async throws {
        let body = Self.refund(#""revoke":true"#, #""revoke":true,"refundAmout":2500"#)
        try await withSimulator { world in
            #expect(await world.call(.refund, "4711", body).status == 200)
            #expect(await world.entries(of: "4711").map(\.unknownFields) == [["items[0].refundAmout"]])
        }
        try await withSimulator(#"unknownFields: "refuse""#) { world in
            #expect(await world.call(.refund, "4711", body).code == 4_000_173)
        }
    }

    @Test(arguments: [("", 4_000_085), ("20%2000", 4_000_006), ("a.b", 4_000_006), ("a/b", 4_000_006)])
    func `a path without a transaction identifier is refused`(transactionId: String, code: Int) async throws {
        try await withSimulator { world in
            #expect(await world.call(.refund, transactionId, Bodies.refund()).code == code)
        }
    }
}
