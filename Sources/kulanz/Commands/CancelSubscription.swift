import Arguments
import Refunds

struct CancelSubscription: Command {
    static let name = "cancel-subscription"
    static let summary = "Stop a subscription from renewing, without a refund."
    static let discussion = """
        The customer keeps what is paid for until the period ends. To take a job of yours back before it is sent use \
        “jobs withdraw”; to end a subscription at once and refund it, “revoke”.
        """
    static let arguments: [Argument<Self>] =
        [.option("--storefront", "CODE", \.storefront, "ISO 3166-1 alpha-3, such as DEU.")]
        + JobOption.arguments.within(\.job) + ConfigurationOption.arguments.within(\.configuration).titled("General")
    static let examples = [
        Example(
            "cancel-subscription --app audiobooks --transaction 2000000123456789 --wait", "Comes back once it is done.")
    ]

    var storefront: String?
    var job = JobOption()
    var configuration = ConfigurationOption()

    func run() async throws {
        let request = JSONObject(["storefront": storefront.map(JSON.string)])
        try await job.submit(job.json(.cancel, request: request), configuration)
    }
}
