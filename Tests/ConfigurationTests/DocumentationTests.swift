import Configuration
import Foundation
import Testing

/// docs/configuration.md has every key with its bounds, and none that isn't one.
@Suite struct DocumentationTests {
    /// What is asked for in one object of the file, and where the page lists it.
    struct Place: Sendable, CustomStringConvertible {
        let heading: String
        /// In front of its keys on the page.
        let prefix: String
        /// The configuration with one more member in that object.
        let text: @Sendable (_ member: String) -> String
        var description: String { heading + " " + prefix }
    }

    static let places = [
        Place(heading: "redis", prefix: "") { minimal(redis: $0) },
        Place(heading: "apps.&lt;name&gt;", prefix: "") { minimal(app: $0) },
        Place(heading: "apps.&lt;name&gt;", prefix: "limit.") { minimal(app: "limit: { \($0) }") },
        Place(heading: "apps.&lt;name&gt;", prefix: "retry.") { minimal(app: "retry: { \($0) }") },
        Place(heading: "apps.&lt;name&gt;", prefix: "alerts.") { minimal(app: "alerts: { \($0) }") },
        Place(heading: "worker", prefix: "") { minimal(worker: $0) },
    ]

    private static func page() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/configuration.md")
        return try String(contentsOf: file.standardized, encoding: .utf8)
    }

    /// The rows of a heading's table by key; a row may be about several.
    private static func rows(_ heading: String) throws -> [String: Substring] {
        let section = try page().components(separatedBy: "\n## ").first { $0.hasPrefix(heading + "\n") } ?? ""
        var rows: [String: Substring] = [:]
        for line in section.split(separator: "\n") where line.hasPrefix("| `") {
            for key in line.split(separator: "|")[0].matches(of: /`([\w.]+)`/) { rows[String(key.1)] = line }
        }
        return rows
    }

    /// The keys that can stand in an object, as the refusal of an unknown one tells them.
    private func known(_ place: Place) throws -> Set<String> {
        let problem = try Fixture().problems(place.text("qqqqqqqqqqqqqqqqqq: 1")).joined()
        let list = try #require(problem.components(separatedBy: "here can stand: ").dropFirst().first, "\(problem)")
        return Set(list.components(separatedBy: ", "))
    }

    @Test(arguments: places) func `every key has its row, and every row is a key`(place: Place) throws {
        let known = try known(place)
        #expect(!known.isEmpty)
        let rows = try Self.rows(place.heading).keys
        let nested = Set(rows.filter { $0.contains(".") }.map { String($0.prefix { $0 != "." }) })
        var documented: Set<String> = []
        for key in rows where key.hasPrefix(place.prefix) {
            let own = key.dropFirst(place.prefix.count)
            if !own.contains(".") { documented.insert(String(own)) }
        }
        if place.prefix.isEmpty { documented.formUnion(nested) }
        #expect(known == documented)
    }

    @Test(arguments: places) func `the bounds of a number on the page are those that a refusal tells`(
        place: Place
    ) throws {
        let rows = try Self.rows(place.heading)
        for key in try known(place) {
            let refusals = try Fixture().problems(place.text("\(key): -1"))
            for range in refusals.compactMap({ $0.firstMatch(of: /expects (\S+ to \S+) [a-z]+/) }) {
                let row = try #require(rows[place.prefix + key], "\(key)")
                // Of an App Store's number nobody needs to know how long it may be.
                if key != "appAppleId" { #expect(row.contains(range.1), "\(place.prefix)\(key): \(range.1)") }
            }
        }
    }

    @Test(arguments: [
        ("apps.<name>.rootCertificates", minimal(app: "rootCertificates: []")),
        ("apps.<name>.consumption", minimal(app: "consumption: {}")),
        ("worker.metricsListen", minimal(worker: #"metricsListen: "127.0.0.1:9464""#)),
        ("gateway", minimal(root: "gateway: {}")),
        ("redis+sentinel://", minimal(redis: "").replacing("redis://127", with: "redis+sentinel://127")),
        ("redis+cluster://", minimal(redis: "").replacing("redis://127", with: "redis+cluster://127")),
    ])
    func `what the page says doesn't exist yet is refused`(name: String, text: String) throws {
        let section = try #require(try Self.page().components(separatedBy: "\n## Not yet\n").dropFirst().first)
        #expect(section.contains("`\(name)`"))
        #expect(try Fixture().problems(text).count == 1)
        #expect(section.matches(of: /`[a-zA-Z.<>+:\/]+`/).count == 7, "six of them, and redis.url")
    }
}
