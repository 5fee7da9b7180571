import Crypto
import EventLoop
import Foundation
import Lifecycle
import Redis
import TestSupport

/// A configuration that names a private Redis and an App Store, and the built program to try on them.
struct CommandWorld: Sendable {
    let folder: TemporaryFolder
    let redis: TestRedis?
    private let loop = TestLoop.shared

    /// What a run of the program came to.
    struct Run {
        let exit: ChildProcess.Exit
        let output: [String]
        let errors: [String]

        /// Each line of standard output as JSON.
        var objects: [[String: Any]] {
            get throws {
                try output.map { line in
                    guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                        throw CocoaError(.coderReadCorrupt)
                    }
                    return object
                }
            }
        }
    }

    /// Where the built command lies: beside the bundle of these tests.
    static let program: String = {
        #if os(macOS)
            let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        #else
            let bundle: URL? = URL(filePath: CommandLine.arguments[0])
        #endif
        return (bundle ?? URL(filePath: ".")).deletingLastPathComponent().appending(path: "kulanz").path
    }()

    // MARK: Running

    /// Runs the program to its end.
    /// - Parameter input: what stands on standard input, which is no terminal in any case.
    func run(
        _ arguments: String..., input: String? = nil, variables: [String: String] = [:]
    ) async throws -> Run {
        try await finished(try await start(arguments, input: input, variables: variables))
    }

    func start(
        _ arguments: [String], input: String? = nil, variables: [String: String] = [:]
    ) async throws -> ChildProcess {
        var words = ["-c", "exec \"$0\" \"$@\"", Self.program] + arguments
        if let input {
            let file = folder["input-\(UUID().uuidString)"]
            try input.write(toFile: file, atomically: true, encoding: .utf8)
            words[1] += " <\(file)"
        }
        return try await shell(words, variables)
    }

    /// Runs a line of the shell in which `$K` is the program.
    func shell(_ line: String) async throws -> Run {
        try await finished(try await shell(["-c", line], ["K": Self.program]))
    }

    private func shell(_ words: [String], _ variables: [String: String]) async throws -> ChildProcess {
        var environment = ["PATH": "/usr/bin:/bin", "KULANZ_CONFIG": folder["kulanz.json5"], "HOME": folder.path]
        environment.merge(variables) { $1 }
        return try await ChildProcess.start(
            "/bin/sh",
            .init(
                arguments: words, environment: environment, directory: folder.path, output: .lines, errors: .lines),
            on: loop)
    }

    func finished(_ child: ChildProcess) async throws -> Run {
        async let output = Array(of: child.output)
        async let errors = Array(of: child.errors)
        return await Run(exit: child.exit, output: output, errors: errors)
    }

    // MARK: What it runs on

    /// - Parameters:
    ///   - redis: where Redis is said to be; the private one otherwise.
    ///   - baseURL: where Apple is said to be; a port where nobody listens otherwise.
    func configure(redis: String? = nil, baseURL: String = "http://127.0.0.1:9", more: String = "") throws {
        let socket = self.redis.map { "redis+unix://" + $0.folder["redis.sock"] }
        try """
        {
          redis: { url: "\(redis ?? socket ?? "redis+unix:///nowhere")" },
          apps: {
            audiobooks: {
              bundleId: "com.example.audiobooks", environment: "production", issuerId: "i", keyId: "k",
              privateKey: "file:key.p8", baseURL: "\(baseURL)", \(more)
            },
            games: {
              bundleId: "com.example.games", environment: "sandbox", issuerId: "i", keyId: "k",
              privateKey: "file:key.p8", baseURL: "\(baseURL)",
            },
          },
          worker: { leaseSeconds: 6, requestTimeoutSeconds: 3, drainSeconds: 3 },
        }
        """.write(toFile: folder["kulanz.json5"], atomically: true, encoding: .utf8)
    }

    fileprivate func prepare() throws {
        try SigningKey.generate().pemPKCS8.write(toFile: folder["key.p8"], atomically: true, encoding: .utf8)
        try configure()
    }

    /// A job as JSON Lines want it.
    static func job(_ id: String, _ transaction: String, amount: Int = 4990, app: String = "audiobooks") -> String {
        """
        {"id":"\(id)","app":"\(app)","operation":"refund","transactionId":"\(transaction)","request":{"items":[\
        {"SKU":"book","refundReason":"LEGAL","refundType":"CUSTOM","refundAmount":\(amount),"revoke":true}],\
        "refundRiskingPreference":false,"currency":"EUR","storefront":"DEU"},"amountIncludesTax":true}
        """
    }

    /// The words of `refund` for a job that is right.
    static func refund(_ id: String, _ transaction: String) -> [String] {
        [
            "refund", "--app", "audiobooks", "--transaction", transaction, "--sku", "book", "--reason", "LEGAL",
            "--type",
            "FULL", "--revoke-access", "yes", "--id", id,
        ]
    }
}

/// With a private Redis.
func withCommands(_ body: (CommandWorld) async throws -> Void) async throws {
    try await withRedis { redis in
        let world = CommandWorld(folder: redis.folder, redis: redis)
        try world.prepare()
        try await body(world)
    }
}

/// Without any Redis.
func withLonelyCommands(_ body: (CommandWorld) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        let world = CommandWorld(folder: folder, redis: nil)
        try world.prepare()
        try await body(world)
    }
}

extension Array where Element == String {
    fileprivate init(of lines: AsyncStream<String>) async {
        self = []
        for await line in lines { append(line) }
    }
}
