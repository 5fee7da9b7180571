import Arguments
import Refunds

struct Revoke: Command {
    static let name = "revoke"
    static let summary = "End a whole subscription at once and refund it."
    static let discussion = """
        The base plan and all add-ons end and are refunded together. To refund single items use “refund”; to end a \
        subscription without a refund when it would renew, “cancel-subscription”.
        """
    static let arguments: [Argument<Self>] =
        [
            .option("--reason", "REASON", \.reason, "Why, in Apple's words.").required,
            .option("--type", "TYPE", \.type, "How much goes back: FULL or PRORATED.").required,
            .flag(
                "--ends-whole-subscription", \.endsWholeSubscription,
                "Says that you know it: base plan and add-ons end. Without it the job is refused."),
            .option(
                "--refund-risking-preference", "yes|no", \.isRisking,
                "Whether Apple may ask your system about usage before it decides."),
            .option("--storefront", "CODE", \.storefront, "ISO 3166-1 alpha-3, such as DEU."),
        ] + JobOption.arguments.within(\.job) + ConfigurationOption.arguments.within(\.configuration).titled("General")
    static let examples = [
        Example(
            """
            revoke --app audiobooks --transaction 2000000123456789 \\
                --reason LEGAL --type PRORATED --ends-whole-subscription
            """, "The unused time goes back, the subscription ends now.")
    ]

    var reason: RefundReason?
    var type: RefundType?
    var endsWholeSubscription = false
    var isRisking = false
    var storefront: String?
    var job = JobOption()
    var configuration = ConfigurationOption()

    func run() async throws {
        let request = JSONObject([
            "refundReason": reason.map { .string($0.rawValue) }, "refundType": type.map { .string($0.rawValue) },
            "refundRiskingPreference": .bool(isRisking), "storefront": storefront.map(JSON.string),
        ])
        let json = job.json(.revoke, request: request, ["endsWholeSubscription": .bool(endsWholeSubscription)])
        try await job.submit(json, configuration)
    }
}
