import Crypto
import Foundation
import Refunds

/// The folder of one demo: configuration, keys, scenario, campaign, and what the processes write.
struct DemoFiles: Sendable {
    private let scratch: ScratchFolder
    var folder: String { scratch.path }

    var config: String { folder + "/kulanz.json5" }
    var scenario: String { folder + "/scenario.json5" }
    /// The same Apple after the addendum was accepted, for who keeps the demo running.
    var friendlyScenario: String { folder + "/friendly.json5" }
    var campaign: String { folder + "/campaign.jsonl" }
    var journal: String { folder + "/journal.jsonl" }
    var socket: String { folder + "/redis.sock" }
    func log(of process: String) -> String { "\(folder)/\(process).log" }

    /// Makes the folder, open to nobody else: there are keys in it, if only made-up ones.
    init() throws { scratch = try ScratchFolder("kulanz-demo") }

    func remove() { scratch.remove() }

    func write(_ day: DemoDay) throws {
        for app in DemoApp.allCases {
            try SigningKey.generate().pemPKCS8.write(
                toFile: "\(folder)/\(app.keyFile)", atomically: true, encoding: .utf8)
        }
        let rules = day.jobs.compactMap { job in job.incident?.rule(for: job.job.transactionId) }
        try scenario(rules: rules, hasLapsed: true).write(toFile: scenario, atomically: true, encoding: .utf8)
        try scenario(rules: [], hasLapsed: false).write(toFile: friendlyScenario, atomically: true, encoding: .utf8)
        try (day.campaign.joined(separator: "\n") + "\n").write(toFile: campaign, atomically: true, encoding: .utf8)
    }

    /// An Apple that replays its answer to a repeated id, and that would take a second refund under another id: a
    /// client that refunds twice isn't stopped here, it is caught.
    private func scenario(rules: [JSON], hasLapsed: Bool) -> String {
        var apps = JSONObject()
        for app in DemoApp.allCases {
            apps[app.bundleId] = .object(
                JSONObject([
                    "issuerId": .string(DemoApp.issuerId), "keyId": .string(app.keyId),
                    "privateKey": .string("file:\(folder)/\(app.keyFile)"),
                    "addendum": hasLapsed && app.hasLapsed ? .string("lapsed") : nil,
                ]))
        }
        let scenario = JSONObject([
            "apps": .object(apps), "rules": .array(rules), "conventions": .bool(false), "latencyMs": .integer(60),
            "repeats": .string("replay-200"), "doubleRefunds": .string("accept"), "unknownFields": .string("refuse"),
        ])
        return JSON.object(scenario).text + "\n"
    }

    func writeConfig(port: UInt16, pace: DemoPace) throws {
        let apps = DemoApp.allCases.map { app in
            """
                \(app.name): {
                  bundleId: "\(app.bundleId)",
                  environment: "production",
                  issuerId: "\(DemoApp.issuerId)",
                  keyId: "\(app.keyId)",
                  privateKey: "file:\(app.keyFile)",
                  baseURL: "http://127.0.0.1:\(port)",  // kulanz simulate
                  limit: { guardMs: \(pace.guardMs) },
                  retry: { baseSeconds: \(pace.retryBaseSeconds) },
                },
            """
        }
        let text = """
            {
              redis: { url: "redis+unix://\(socket)" },
              apps: {
            \(apps.joined(separator: "\n"))
              },
              worker: { requestTimeoutSeconds: \(pace.requestTimeoutSeconds), leaseSeconds: \(pace.leaseSeconds) },
            }

            """
        try text.write(toFile: config, atomically: true, encoding: .utf8)
    }
}

/// Why the demo can't go on, in a sentence.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
