import Arguments
import Refunds

struct Refund: Command {
    static let name = "refund"
    static let summary = "Ask for the refund of one purchase."
    static let discussion = """
        The request is checked, shown and, at a terminal, confirmed before it is enqueued; a worker sends it. \
        “accepted” then means that Apple took the request, not that money moved.

        Several --sku are items of one transaction and share reason and type.
        """
    static let arguments: [Argument<Self>] =
        [
            .option("--sku", "SKU", \.skus, "The item to refund.").required,
            .option("--reason", "REASON", \.reason, "Why, in Apple's words.").required,
            .option("--type", "TYPE", \.type, "How much goes back.").required,
            .option("--revoke-access", "yes|no", \.revokesAccess, "Whether the customer loses the item.").required,
            .option(
                "--refund-risking-preference", "yes|no", \.isRisking,
                "Whether Apple may ask your system about usage before it decides."),
        ]
        + [
            .option("--amount", "DECIMAL", \.amount, "Such as 4.99; exact, never rounded."),
            .option("--currency", "CODE", \.currency, "ISO 4217, such as EUR."),
            .option("--storefront", "CODE", \.storefront, "ISO 3166-1 alpha-3, such as DEU."),
            .option("--tax", "included|excluded", \.tax, "Excluded in USA and CAN, included everywhere else."),
        ].titled("With --type CUSTOM")
        + JobOption.arguments.within(\.job) + ConfigurationOption.arguments.within(\.configuration).titled("General")
    static let examples = [
        Example(
            """
            refund --app audiobooks --transaction 2000000123456789 \\
                --sku audiobook.4711 --reason FULFILLMENT_ISSUE --type FULL --revoke-access yes
            """, "The whole price, and the audiobook is taken away."),
        Example(
            """
            refund --app audiobooks --transaction 2000000123456789 \\
                --sku audiobook.4711 --reason OTHER --type CUSTOM --revoke-access no \\
                --amount 4.99 --currency EUR --storefront DEU --tax included --wait
            """, "A part of it; comes back once Apple has accepted it."),
    ]

    enum Tax: String, ArgumentValue, CaseIterable {
        case included, excluded
    }

    var skus: [String] = []
    var reason: RefundReason?
    var type: RefundType?
    var revokesAccess: Bool?
    var isRisking = false
    var amount: String?
    var currency: String?
    var storefront: String?
    var tax: Tax?
    var job = JobOption()
    var configuration = ConfigurationOption()

    func validate() throws(UsageError) {
        if amount != nil, currency == nil { throw .invalid("--amount needs --currency to be read") }
        if amount != nil, skus.count > 1 {
            throw .invalid("--amount with several --sku would go back for each of them; ask once for each instead")
        }
        _ = try milliunits()
    }

    private func milliunits() throws(UsageError) -> Int64? {
        guard let amount, let code = currency else { return nil }
        guard let currency = Currency(code) else { throw .invalid("--currency expects three capitals, not “\(code)”") }
        do {
            return try Money(decimal: amount, currency: currency).milliunits
        } catch {
            throw .invalid("--amount: \(error)")
        }
    }

    func run() async throws {
        let amount = try milliunits()
        let items = skus.map { sku in
            JSON.object(
                JSONObject([
                    "SKU": .string(sku), "refundReason": reason.map { .string($0.rawValue) },
                    "refundType": type.map { .string($0.rawValue) }, "refundAmount": amount.map(JSON.integer),
                    "revoke": revokesAccess.map(JSON.bool),
                ]))
        }
        let request = JSONObject([
            "items": .array(items), "refundRiskingPreference": .bool(isRisking), "currency": currency.map(JSON.string),
            "storefront": storefront.map(JSON.string),
        ])
        let json = job.json(.refund, request: request, ["amountIncludesTax": tax.map { .bool($0 == .included) }])
        try await job.submit(json, configuration)
    }
}

extension RefundReason: ArgumentValue {}
extension RefundType: ArgumentValue {}
