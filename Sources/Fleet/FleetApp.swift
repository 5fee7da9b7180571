package import AppStore
package import Queue
package import Refunds

/// One app as a worker serves it.
package struct FleetApp: Sendable {
    package let rules: AppRules
    package let queue: JobQueue
    package let store: AppStoreClient
    package let rate: GateRate
    package let retry: RetryPolicy
    /// How long Apple's open refund may keep a job waiting.
    package let holdFor: Duration
    /// Where alarms go, if anywhere.
    package let webhook: String?

    package var name: String { rules.name }

    package init(
        rules: AppRules, queue: JobQueue, store: AppStoreClient, rate: GateRate, retry: RetryPolicy = RetryPolicy(),
        holdFor: Duration = .seconds(72 * 3600), webhook: String? = nil
    ) {
        self.rules = rules
        self.queue = queue
        self.store = store
        self.rate = rate
        self.retry = retry
        self.holdFor = holdFor
        self.webhook = webhook
    }
}
