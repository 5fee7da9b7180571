import AppStore
import Configuration
import Foundation
import Queue
import Redis
import Refunds
import Telemetry
import TestSupport
import Testing

@Suite struct SettingsTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test func `what is left out has its default`() throws {
        let settings = try fixture.read(minimal())
        #expect(settings.redis.endpoint == .tcp("127.0.0.1"))
        #expect(settings.redis.prefix == "kulanz")
        #expect(settings.worker == .standard)
        let app = try #require(settings.app("audiobooks"))
        #expect(app.bundleId == "com.example.audiobooks")
        #expect(app.environment == .production)
        #expect(app.credentials.baseURL.text == "https://api.storekit.apple.com")
        #expect(app.rate == GateRate(requestsPerSecond: 5, guardMilliseconds: 25))
        #expect(app.retry == RetryPolicy(maxAttempts: 250, baseSeconds: 2, capSeconds: 900, giveUpAfterHours: 24))
        #expect(app.hold == .seconds(72 * 3600))
        #expect(app.appAppleId == nil)
        #expect(app.caFile == nil)
        #expect(app.webhook == nil)
        #expect(app.rules == AppRules(name: "audiobooks", environment: .production, allowsRiskingPreference: false))
        #expect(settings.app("games") == nil)
    }

    @Test func `what is said is taken`() throws {
        try fixture.write("ca.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n")
        let settings = try fixture.read(
            """
            {
              redis: { url: "redis+unix:///run/redis.sock", username: "kulanz", password: "env:REDIS_PASSWORD", prefix: "k2" },
              apps: {
                games: {
                  bundleId: "com.example.games", appAppleId: 1234567890, environment: "sandbox", issuerId: "x", keyId: "y",
                  privateKey: "file:key.p8", baseURL: "http://127.0.0.1:8443/", caFile: "ca.pem",
                  limit: { requestsPerSecond: 2.5, guardMs: 40 },
                  retry: { maxAttempts: 5, baseSeconds: 0.1, capSeconds: 1.5, giveUpAfterHours: 0.5 },
                  holdHours: 1, consumption: "external", alerts: { webhook: "https://hooks.example.com/x?y=1" },
                },
              },
              worker: { concurrency: 8, leaseSeconds: 3, requestTimeoutSeconds: 1.25, drainSeconds: 0.5 },
            }
            """, variables: ["REDIS_PASSWORD": "hunter2"])
        #expect(
            settings.redis.endpoint
                == RedisEndpoint(.unix(path: "/run/redis.sock"), username: "kulanz", password: Secret("hunter2")))
        #expect(settings.redis.prefix == "k2")
        #expect(settings.worker.concurrency == 8)
        #expect(settings.worker.lease == .seconds(3))
        #expect(settings.worker.requestTimeout == .milliseconds(1250))
        #expect(settings.worker.drain == .milliseconds(500))
        let app = try #require(settings.app("games"))
        #expect(app.appAppleId == 1_234_567_890)
        #expect(app.credentials.baseURL.text == "http://127.0.0.1:8443")
        #expect(app.caFile == fixture.folder + "/ca.pem")
        #expect(app.rate == GateRate(requestsPerSecond: 2.5, guardMilliseconds: 40))
        #expect(app.retry == RetryPolicy(maxAttempts: 5, baseSeconds: 0.1, capSeconds: 1.5, giveUpAfterHours: 0.5))
        #expect(app.hold == .seconds(3600))
        #expect(app.rules.allowsRiskingPreference)
        #expect(app.webhook == "https://hooks.example.com/x?y=1")
    }

    @Test func `the sandbox has its own host and a tenth of the rate`() throws {
        let settings = try fixture.read(minimal().replacing("\"production\"", with: "\"sandbox\""))
        #expect(settings.apps[0].credentials.baseURL.text == "https://api.storekit-sandbox.apple.com")
        #expect(settings.apps[0].rate.requestsPerSecond == 0.5)
    }

    private static let safeURL = "an https URL, or an http one to this machine (127.0.0.1, [::1], localhost)"

    @Test(arguments: [
        (minimal(app: "limt: {}"), "apps.audiobooks.limt (line 6): there is no such key; did you mean limit?"),
        (minimal(root: "workers: {}"), "workers (line 10): there is no such key; did you mean worker?"),
        (
            minimal(redis: "qqq: 1"),
            "redis.qqq (line 2): there is no such key; here can stand: caFile, certificateFile, keyFile, password, prefix, url, username"
        ),
        (
            minimal(root: "gateway: {}"),
            "gateway (line 10): the gateway doesn't exist yet in this version; leave the key out"
        ),
        (
            minimal(redis: "caFile: 'key.p8'").replacing("redis://", with: "rediss://"),
            "redis.caFile (line 2): FOLDER/key.p8 holds no PEM certificate"
        ),
        (
            minimal(redis: "keyFile: 'key.p8'").replacing("redis://", with: "rediss://"),
            "redis.keyFile (line 2): needs certificateFile beside it"
        ),
        (
            minimal(worker: "metricsListen: 'x'"),
            "worker.metricsListen (line 9): the metrics endpoint doesn't exist yet in this version; leave the key out"
        ),
        (
            minimal(app: "rootCertificates: []"),
            "apps.audiobooks.rootCertificates (line 6): the verification of signed payloads doesn't exist yet in this version; leave the key out"
        ),
        (
            minimal(app: "consumption: { usage: {} }"),
            "apps.audiobooks.consumption (line 6): a responder of our own doesn't exist yet in this version; \"external\" says that you answer Apple yourself"
        ),
        (
            minimal(app: "consumption: 'extern'"),
            "apps.audiobooks.consumption (line 6): expects \"external\", or to be left out"
        ),
        (minimal(worker: "concurrency: '8'"), "worker.concurrency (line 9): expects a number of requests, not a text"),
        (minimal(worker: "concurrency: 0"), "worker.concurrency (line 9): expects 1 to 1024 requests"),
        (minimal(worker: "concurrency: 1.5"), "worker.concurrency (line 9): expects a whole number of requests"),
        (minimal(worker: "drainSeconds: Infinity"), "worker.drainSeconds (line 9): expects 0 to 3600 seconds"),
        (minimal(worker: "drainSeconds: NaN"), "worker.drainSeconds (line 9): expects 0 to 3600 seconds"),
        (
            minimal(worker: "leaseSeconds: 40"),
            "worker.leaseSeconds (line 9): must be at least one and a half times requestTimeoutSeconds, here 45"
        ),
        (
            minimal(app: "limit: { requestsPerSecond: 0 }"),
            "apps.audiobooks.limit.requestsPerSecond (line 6): expects 0.01 to 1000 requests a second"
        ),
        (
            minimal(app: "limit: { guardMs: 600 }"),
            "apps.audiobooks.limit.guardMs (line 6): would take more than a third of the rate; expects at most 500 here"
        ),
        (minimal(app: "limit: 5"), "apps.audiobooks.limit (line 6): expects an object { … }, not a number"),
        (
            minimal(app: "retry: { baseSeconds: 5, capSeconds: 1 }"),
            "apps.audiobooks.retry.capSeconds (line 6): is less than baseSeconds; the longest wait can't be shorter than the first"
        ),
        (
            minimal(app: "alerts: { webhook: 'http://127.0.0.1.example.com/' }"),
            "apps.audiobooks.alerts.webhook (line 6): expects \(safeURL)"
        ),
        (minimal(redis: "prefix: 'a{b}'"), "redis.prefix (line 2): expects 1 to 32 of A-Za-z0-9._-"),
        (
            minimal(redis: "password: 5"),
            "redis.password (line 2): expects a password, best as env:NAME or file:PATH, not a number"
        ),
        (minimal(redis: "password: 'env:NOPE'"), "redis.password (line 2): the environment has no variable NOPE"),
        (
            minimal(redis: "password: 'env:EMPTY'"),
            "redis.password (line 2): env:EMPTY is empty; it should hold a password, best as env:NAME or file:PATH"
        ),
        ("[]", "line 1: an object { … } is expected, not a list"),
        ("{ redis: }", "line 1: column 10: a value is expected, not “}”"),
    ])
    func `one mistake is told with its key, its line and what is expected`(text: String, expected: String) {
        let expected = expected.replacing("FOLDER", with: fixture.folder)
        #expect(fixture.problems(text, variables: ["EMPTY": ""]) == [expected])
    }

    @Test(arguments: [
        ("redis+sentinel://a,b/master", "Sentinel"),
        ("redis+cluster://a", "Cluster"),
    ])
    func `a kind of Redis that comes later is refused as such`(url: String, part: String) throws {
        let problems = fixture.problems(minimal().replacing("redis://127.0.0.1:6379/0", with: url))
        #expect(problems.count == 1)
        #expect(try #require(problems.first).contains(part))
        #expect(try #require(problems.first).contains(/later|yet/))
    }

    @Test(arguments: [
        ("embedded:data", "/data"), ("embedded:./a/../my data", "/my data"), ("embedded:/var/lib/kulanz", nil),
    ])
    func `the private Redis is a socket in a folder beside the configuration`(url: String, end: String?) throws {
        let settings = try fixture.read(minimal().replacing("redis://127.0.0.1:6379/0", with: url))
        let folder = end.map { fixture.folder + $0 } ?? "/var/lib/kulanz"
        #expect(settings.redis.embedded == folder)
        #expect(settings.redis.endpoint == .unix(folder + "/redis.sock"))
    }

    @Test func `a Redis that others run is not embedded`() throws {
        #expect(try fixture.read(minimal()).redis.embedded == nil)
    }

    @Test(arguments: [
        ("url: 'embedded:'", "url (line 2): embedded: needs a folder"),
        ("url: 'embedded:/\(String(repeating: "x", count: 97))'", "is too long for the socket in it, by 2 bytes"),
        ("url: 'embedded:data', username: 'x'", "username (line 2): is for a Redis that others use"),
        ("url: 'embedded:data', password: 'x'", "password (line 2): is for a Redis that others use"),
    ])
    func `a private Redis that can't be is refused`(redis: String, part: String) throws {
        let problems = fixture.problems(minimal().replacing("url: \"redis://127.0.0.1:6379/0\"", with: redis))
        #expect(problems.count == 1)
        #expect(try #require(problems.first).contains(part), "\(problems)")
    }

    @Test(arguments: [
        ("http://api.example.com", BaseURL.Failure.notEncrypted.description), ("host", "begins with https://"),
        ("https://u:p@host", "no user name or password"),
        ("https://api.storekit-sandbox.apple.com", "the app's environment is the other one"),
    ])
    func `an address that Apple's calls must not go to is refused`(url: String, part: String) throws {
        let problems = fixture.problems(minimal(app: "baseURL: '\(url)'"))
        #expect(problems.count == 1)
        #expect(try #require(problems.first).hasPrefix("apps.audiobooks.baseURL (line 6): "))
        #expect(try #require(problems.first).contains(part))
    }

    @Test func `all mistakes are told at once, in the order of the file`() {
        let text = """
            {
              redis: {
                uri: "redis://h" },
              apps: {
                "my app": {
                  bundleId: 5,
                  environment: "prod",
                  privateKey: "file:nope.p8",
                },
              },
              worker: {
                leaseSeconds: true },
            }
            """
        #expect(
            fixture.problems(text) == [
                "redis.url (line 2): is missing; it should be a Redis URL such as redis://127.0.0.1:6379/0",
                "redis.uri (line 3): there is no such key; did you mean url?",
                "apps.my app (line 5): is no name for an app; expects 1 to 64 of A-Za-z0-9._-",
                "apps.my app.issuerId (line 5): is missing; it should be the issuer id of App Store Connect, Users and Access, Integrations",
                "apps.my app.keyId (line 5): is missing; it should be the id of the In-App Purchase key, ten letters and digits",
                "apps.my app.bundleId (line 6): expects the app's bundle id, such as com.example.audiobooks, not a number",
                "apps.my app.environment (line 7): expects \"production\" or \"sandbox\"; did you mean production?",
                "apps.my app.privateKey (line 8): there is no readable file \(fixture.folder)/nope.p8",
                "worker.leaseSeconds (line 12): expects a number of seconds, not true or false",
            ])
    }

    @Test func `what must be there is missed by name`() {
        #expect(
            fixture.problems("{}") == [
                "redis (line 1): is missing; write redis: { url: \"redis://127.0.0.1:6379/0\" }",
                "apps (line 1): is missing; it holds one entry per app",
            ])
        let empty = "{ redis: { url: 'redis://h' }, apps: {} }"
        #expect(fixture.problems(empty) == ["apps (line 1): is empty; it holds one entry per app"])
    }

    @Test func `a login that is said twice is refused`() {
        let text = minimal(redis: "username: 'a', password: 'b'").replacing("redis://", with: "redis://u:p@")
        #expect(
            fixture.problems(text) == [
                "redis.username (line 2): stands in the URL too; say it once",
                "redis.password (line 2): stands in the URL too; say it once",
            ])
    }

    @Test func `two names for one app of Apple's are refused, for Apple counts them as one`() {
        func text(_ second: String) -> String {
            let rest = "environment: 'production', issuerId: 'i', keyId: 'k', privateKey: 'file:key.p8'"
            return """
                { redis: { url: 'redis://h' },
                  apps: { a: { bundleId: 'com.example.a', \(rest) }, b: { bundleId: '\(second)', \(rest) } } }
                """
        }
        #expect(
            fixture.problems(text("com.example.a")) == [
                "apps.b (line 2): has the bundleId and environment of a; Apple counts both as one, so they must be one"
            ])
        #expect(fixture.problems(text("com.example.b")) == [])
    }

    @Test func `a private key may come from a file, a variable or the text itself`() throws {
        let pem = try String(contentsOfFile: fixture.folder + "/key.p8", encoding: .utf8)
        #expect(fixture.problems(minimal().replacing("file:key.p8", with: "env:KEY"), variables: ["KEY": pem]) == [])
        let inline = pem.replacing("\n", with: "\\n")
        #expect(fixture.problems(minimal().replacing("file:key.p8", with: inline)) == [])
    }

    @Test func `a wrong key is named by its kind and never shown`() throws {
        try fixture.write("key.p8", "-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----\n")
        let problem = try #require(fixture.problems(minimal()).first)
        #expect(problem.hasPrefix("apps.audiobooks.privateKey (line 6): This is an RSA key."))
        #expect(!problem.contains("c2VjcmV0"))
    }

    @Test func `the line break at a file's end is no part of a password`() throws {
        try fixture.write("password", "hunter2\r\n")
        let settings = try fixture.read(minimal(redis: "password: 'file:password'"))
        #expect(settings.redis.endpoint.password == Secret("hunter2"))
    }

    @Test(arguments: ["caFile: 'nope.pem'", "caFile: 'key.p8'", "caFile: 'file:key.p8'", "caFile: true"])
    func `a file of authorities must hold some`(key: String) {
        let problems = fixture.problems(minimal(app: key))
        #expect(problems.count == 1)
        #expect(
            problems.allSatisfy { $0.hasPrefix("apps.audiobooks.caFile (line 6)") && !$0.contains("BEGIN PRIVATE") })
    }

    @Test func `TLS to Redis takes its files from beside the configuration`() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await TestAuthority(in: folder)
            let ours = try await authority.issue("client")
            let other = try await authority.issue("other")
            func problems(_ keys: String, url: String = "rediss") -> [String] {
                fixture.problems(minimal(redis: keys).replacing("redis://", with: url + "://"))
            }
            let keys = "caFile: '\(authority.caFile)', certificateFile: '\(ours.file)', keyFile: '\(ours.keyFile)'"
            let settings = try fixture.read(minimal(redis: keys).replacing("redis://", with: "rediss://"))
            #expect(
                settings.redis.endpoint.tls
                    == RedisTLS(caFile: authority.caFile, certificateFile: ours.file, keyFile: ours.keyFile))
            #expect(
                try fixture.read(minimal().replacing("redis://", with: "rediss://")).redis.endpoint.tls == RedisTLS())
            #expect(
                problems("certificateFile: '\(ours.file)', keyFile: '\(other.keyFile)'")
                    == ["redis.keyFile (line 2): the key in \(other.keyFile) doesn't belong to the certificate"])
            #expect(
                problems("caFile: '\(authority.caFile)'", url: "redis")
                    == ["redis.caFile (line 2): is for TLS; write rediss:// in the url, or leave the key out"])
        }
    }

    @Test func `the file is found by option, then by variable, then by custom`() {
        #expect(Settings.file(option: "a", variables: ["KULANZ_CONFIG": "b"]) == "a")
        #expect(Settings.file(option: nil, variables: ["KULANZ_CONFIG": "b"]) == "b")
        #expect(Settings.file(option: nil, variables: ["KULANZ_CONFIG": ""]) == "config/kulanz.json5")
        #expect(Settings.file(option: nil, variables: [:]) == "config/kulanz.json5")
    }

    @Test func `references are looked for beside the file`() throws {
        try fixture.write("kulanz.json5", minimal())
        #expect(try Settings.read(file: fixture.folder + "/kulanz.json5", variables: [:]).apps.count == 1)
    }

    @Test func `a missing file says where an example is`() throws {
        let error = try #require(throws: ConfigurationError.self) {
            try Settings.read(file: fixture.folder + "/nope.json5", variables: [:])
        }
        #expect(error.description.contains("config/kulanz.example.json5"))
        #expect(error.description.hasPrefix(fixture.folder + "/nope.json5 can't be used:\n  there is no such file"))
    }

    @Test func `an error counts its reasons`() throws {
        let error = try #require(throws: ConfigurationError.self) { try fixture.read("{}") }
        #expect(error.description.hasPrefix("test.json5 can't be used, for 2 reasons:\n  redis"))
    }

    @Test func `the example in the repository names only keys that work`() async throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.deletingLastPathComponent().appending(path: "config/kulanz.example.json5")
        let example = try String(contentsOf: file, encoding: .utf8)
        try fixture.write(
            "AuthKey_2X9R4HXF34.p8", try String(contentsOfFile: fixture.folder + "/key.p8", encoding: .utf8))
        #expect(try fixture.read(example).apps.map(\.name) == ["audiobooks", "audiobooks-sandbox"])
        // What is commented out is the default: with the comments taken away nothing else comes out.
        let uncommented = example.replacing(/\n( *)\/\/ ([a-zA-Z]+: .*,)(?=\n)/) { "\n\($0.1)\($0.2)" }
        #expect(uncommented.contains("\n    concurrency: 64,"))
        try fixture.write("my-ca.pem", "-----BEGIN CERTIFICATE-----\n")
        try await withTemporaryFolder { folder in
            let authority = try await TestAuthority(in: folder)
            let ours = try await authority.issue("client")
            for (name, file) in [
                ("redis-ca.pem", authority.caFile), ("kulanz.pem", ours.file), ("kulanz.key", ours.keyFile),
            ] {
                try fixture.write(name, try String(contentsOfFile: file, encoding: .utf8))
            }
        }
        // User names are for a Redis that others use, too, and these files for TLS alone.
        let sealed = uncommented.replacing("embedded:data", with: "rediss://127.0.0.1")
        let spoken = try fixture.read(sealed, variables: ["REDIS_PASSWORD": "x"])
        #expect(spoken.worker == .standard)
        let standard = try fixture.read(minimal()).apps[0]
        #expect(spoken.apps[0].rate == standard.rate)
        #expect(spoken.apps[0].retry == standard.retry)
        #expect(spoken.apps[0].hold == standard.hold)
        #expect(spoken.apps[0].credentials.baseURL == standard.credentials.baseURL)
    }
}
