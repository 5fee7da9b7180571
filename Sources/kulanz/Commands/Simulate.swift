import AppStoreSimulator
import Arguments
import EventLoop
import Foundation
import Lifecycle
import Refunds

struct Simulate: Command {
    static let name = "simulate"
    static let summary = "Be an App Store that fails as the real one does; needs neither Redis nor a configuration."
    static let discussion = """
        Takes refunds, revocations and cancellations at Apple's paths, checks tokens as Apple does, and writes down \
        every arrival. Ctrl-C ends it and prints what the journal proves. docs/simulator.md has the scenario file, \
        the faults and the journal.
        """
    static let arguments: [Argument<Self>] = [
        .option("--port", "PORT", \.port, "Where to listen; 0 takes a free one and prints it."),
        .option("--host", "ADDRESS", \.host, "On which address."),
        .option("--scenario", "FILE", \.scenario, "Who may call, what is known, what goes wrong and when (JSON5)."),
        .option("--journal", "FILE", \.journal, "Where the journal goes, JSON Lines; - is standard output."),
        .option(
            "--credentials", "FOLDER", \.credentials,
            "Make keys for the apps that have none, write them there, and print a configuration to try them with."),
        .option("--root", "FILE", \.root, "Write the root certificate of the signed payloads there, as PEM."),
        .option(
            "--tls", "FOLDER", \.tls,
            "Speak HTTPS. The certificate authority lies there for clients to trust, and is made if it isn't there."),
        .option("--audit", "FILE", \.audit, "Run nothing: print what the journal in that file proves."),
        .flag("--json", \.isJSON, "The address and, at the end, the report as JSON."),
    ]
    static let examples = [
        Example("simulate", "A friendly App Store that knows every transaction."),
        Example("simulate --scenario bad-day.json5 --journal arrivals.jsonl", "One that misbehaves, written down."),
        Example("simulate --credentials keys/", "With keys, and the configuration to use them."),
        Example("simulate --tls tls/", "Over HTTPS, and what to put into baseURL and caFile."),
        Example("simulate --audit arrivals.jsonl", "Rates kept or broken, refunds taken twice: the server's word."),
    ]

    var port = 8475
    var host = "127.0.0.1"
    var scenario: String?
    var journal: String?
    var credentials: String?
    var root: String?
    var tls: String?
    var audit: String?
    var isJSON = false

    func validate() throws(UsageError) {
        if !(0...65_535).contains(port) { throw .invalid("--port expects 0 to 65535") }
    }

    func run() async throws {
        if let audit { return try printAudit(of: audit) }
        let loop = EventLoop()
        let signals = await Signals.stream(of: [SIGINT, SIGTERM], on: loop)
        let simulator = try Simulator(loop: loop, options: try options())
        let port = try await simulator.start()
        announce(port, simulator.credentials, caFile: simulator.caFile)
        var wishes = signals.makeAsyncIterator()
        _ = await wishes.next()
        await simulator.stop()
        let report = await simulator.report()
        // What is the journal's, or a program's, must not be mixed with words.
        if isJSON { Output.line(report.json.text) } else { Output.complain("\n" + report.text) }
    }

    private func printAudit(of path: String) throws {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.noSuchThing, "there is no readable file \(path)")
        }
        let audit = JournalAudit(reading: Array(bytes))
        Output.line(isJSON ? audit.json.text : audit.text)
    }

    private func options() throws -> SimulatorOptions {
        var options = SimulatorOptions()
        options.host = host
        options.port = UInt16(port)
        options.printsJournal = journal == "-"
        options.journalPath = journal == "-" ? nil : journal
        options.rootPath = root
        // Absolute: the configuration that names the keys may lie anywhere.
        options.credentialsFolder = credentials.map { URL(filePath: $0).path }
        options.tlsFolder = tls.map { URL(filePath: $0).path }
        if let scenario {
            guard let bytes = FileManager.default.contents(atPath: scenario) else {
                throw CommandFailure(.noSuchThing, "there is no readable file \(scenario)")
            }
            let folder = URL(filePath: scenario).deletingLastPathComponent().path
            options.scenario = try Scenario(json5: Array(bytes), folder: folder)
        }
        return options
    }

    private func announce(_ port: UInt16, _ credentials: Credentials?, caFile: String?) {
        let url = self.url(of: host, port, isSecure: caFile != nil)
        let baseURL = self.url(
            of: ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host, port, isSecure: caFile != nil)
        if isJSON {
            var line = JSONObject(["url": .string(url), "port": .integer(Int64(port))])
            line["caFile"] = caFile.map { .string($0) }
            Output.line(.object(line))
        } else if journal == "-" {
            Output.note("An App Store listens at \(url); Ctrl-C ends it.")
        } else {
            Output.line("An App Store listens at \(url); Ctrl-C ends it.")
        }
        if let credentials, !credentials.apps.isEmpty {
            let apps = credentials.configuration(baseURL: baseURL, caFile: caFile)
            Output.note("\nFor the configuration, under apps:\n\n\(apps)\n")
        } else if let caFile {
            Output.note("\nFor the configuration of an app:\n\n  baseURL: \"\(baseURL)\", caFile: \"\(caFile)\",\n")
        }
    }

    private func url(of host: String, _ port: UInt16, isSecure: Bool) -> String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
