import Crypto
import Foundation

/// Keys for apps whose scenario names none, so that a client can be tried before anybody has looked for a real key.
///
/// They are good for this simulator only, which is why they may lie in a folder in the open.
package struct Credentials: Sendable {
    /// What a client needs beside its key's file.
    package struct App: Sendable {
        package let bundleId: String
        package let issuerId: String
        package let keyId: String
        package let environment: AppEnvironment
        /// The private key, PKCS#8 in PEM, as App Store Connect gives it.
        package let keyPath: String
    }

    package private(set) var apps: [App] = []

    /// Makes a key for each app without one (for `com.example.reader` when there is no app at all), writes it to
    /// `AuthKey_….p8` in the folder, and puts its public half into the scenario.
    init(for scenario: inout Scenario, in folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if scenario.apps.isEmpty {
            scenario.apps["com.example.reader"] = SimulatedApp(bundleId: "com.example.reader")
        }
        for (bundleId, app) in scenario.apps.sorted(by: { $0.key < $1.key }) where app.key == nil {
            let key = SigningKey.generate()
            var app = app
            app.key = key.publicKey
            app.keyId = app.keyId ?? Self.newKeyId()
            app.issuerId = app.issuerId ?? UUID().uuidString.lowercased()
            scenario.apps[bundleId] = app
            let path = folder + "/AuthKey_" + (app.keyId ?? "") + ".p8"
            try key.pemPKCS8.write(toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            apps.append(
                App(
                    bundleId: bundleId, issuerId: app.issuerId ?? "", keyId: app.keyId ?? "",
                    environment: app.environment, keyPath: path))
        }
    }

    /// Ten capitals and digits, as Apple's are.
    private static func newKeyId() -> String {
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        return String(randomBytes(10).map { alphabet[Int($0) % alphabet.count] })
    }

    /// The apps as members of a Kulanz configuration; `caFile`: what to trust for an `https` URL.
    package func configuration(baseURL: String, caFile: String? = nil) -> String {
        apps.map { app in
            let name = app.bundleId.split(separator: ".").last.map(String.init) ?? app.bundleId
            return """
                \(name): {
                  bundleId: "\(app.bundleId)", environment: "\(app.environment.rawValue)",
                  issuerId: "\(app.issuerId)", keyId: "\(app.keyId)",
                  privateKey: "file:\(app.keyPath)", baseURL: "\(baseURL)",\(caFile.map { "\n  caFile: \"\($0)\"," } ?? "")
                },
                """
        }.joined(separator: "\n")
    }
}
