import Arguments

/// The program: its name, its version, its commands in the order in which help lists them.
enum Kulanz {
    static let version = "0.1.0"

    static let program = Program(
        name: "kulanz",
        summary: "Asks Apple for refunds through the Advanced Commerce API: never too fast, never twice, none lost.",
        version: version,
        sections: [
            CommandSection("Ask", [Enqueue.self, Refund.self, Revoke.self, CancelSubscription.self]),
            CommandSection(
                "Look and act",
                [
                    JobsList.self, JobsShow.self, JobsWithdraw.self, DeadList.self, DeadShow.self, DeadRedrive.self,
                    DeadDiscard.self, DeadExport.self, StatusCommand.self, AppsList.self, AppsPause.self,
                    AppsResume.self,
                ]),
            CommandSection("Run", [Up.self, WorkerCommand.self]),
            CommandSection("Try", [DemoCommand.self, Simulate.self, Bench.self]),
        ],
        hidden: [BenchWorker.self],
        ambiguities: [
            "cancel": """
            “cancel” could mean two things: “kulanz cancel-subscription” asks Apple not to renew a subscription, \
            “kulanz jobs withdraw” takes a job back before it is sent
            """,
            "withdraw": "say “kulanz jobs withdraw”; to end a customer's subscription, “kulanz cancel-subscription”",
        ])
}
