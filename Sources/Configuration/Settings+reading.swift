private import Arguments
private import Foundation

extension Settings {
    /// Where a configuration is looked for: the option, else `KULANZ_CONFIG`, else `config/kulanz.json5`.
    package static func file(option: String?, variables: [String: String]) -> String {
        if let option { return option }
        if let named = variables["KULANZ_CONFIG"], !named.isEmpty { return named }
        return "config/kulanz.json5"
    }

    /// Reads and checks a file; what it refers to relatively lies beside it.
    package static func read(file: String, variables: [String: String]) throws(ConfigurationError) -> Settings {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw .alone(
                file,
                "there is no such file, or it can't be read; config/kulanz.example.json5 is one to copy, and --config FILE names another"
            )
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .alone(file, "this is no UTF-8 text") }
        let folder = URL(filePath: file).deletingLastPathComponent().path
        return try read(text: text, file: file, Surroundings(variables: variables, folder: folder))
    }

    /// - Parameter file: how errors call the text.
    package static func read(
        text: String, file: String, _ surroundings: Surroundings
    ) throws(ConfigurationError) -> Settings {
        let problems = Problems()
        var settings: Settings?
        do {
            let node = try JSON5Reader.read(text)
            if let root = Section.root(node, problems, surroundings) { settings = Settings(root) }
        } catch {
            problems.add("", line: error.line, "column \(error.column): \(error.message)")
        }
        guard let settings, problems.all.isEmpty else {
            // In the order of the file; what has no line comes last.
            let sorted = problems.all.enumerated().sorted {
                ($0.element.line ?? .max, $0.offset) < ($1.element.line ?? .max, $1.offset)
            }
            throw ConfigurationError(file: file, problems: sorted.map(\.element))
        }
        return settings
    }

    private init?(_ root: Section) {
        let redis = RedisSettings(root.section("redis"), in: root)
        let apps = Self.apps(root)
        let worker = WorkerSettings(root.optionalSection("worker"))
        root.finish(later: ["gateway": "the gateway"])
        guard let redis else { return nil }
        self.init(redis: redis, apps: apps, worker: worker)
    }

    private static func apps(_ root: Section) -> [AppSettings] {
        guard let section = root.section("apps") else {
            if root.node("apps") == nil { root.refuse("apps", "is missing; it holds one entry per app") }
            return []
        }
        if section.keys.isEmpty { root.refuse("apps", "is empty; it holds one entry per app") }
        var apps: [AppSettings] = []
        for name in section.keys {
            guard let app = section.section(name).flatMap({ AppSettings(name: name, $0, in: section) }) else {
                continue
            }
            // Apple counts by app: under two names we would send twice what is allowed.
            let twin = apps.first { $0.bundleId == app.bundleId && $0.environment == app.environment }
            if let twin {
                section.refuse(
                    name,
                    "has the bundleId and environment of \(twin.name); Apple counts both as one, so they must be one")
            }
            apps.append(app)
        }
        return apps
    }
}

extension ConfigurationError {
    fileprivate static func alone(_ file: String, _ message: String) -> Self {
        Self(file: file, problems: [Problem(path: "", line: nil, message: message)])
    }
}
