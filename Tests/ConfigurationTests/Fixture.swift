import Configuration
import Crypto
import Foundation
import Testing

/// A folder with what a configuration refers to, gone when the test is.
final class Fixture: Sendable {
    let folder = URL.temporaryDirectory.appending(path: "kulanz-configuration-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try write("key.p8", SigningKey.generate().pemPKCS8)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }

    func read(_ text: String, variables: [String: String] = [:]) throws(ConfigurationError) -> Settings {
        try Settings.read(text: text, file: "test.json5", Surroundings(variables: variables, folder: folder))
    }

    /// What is wrong with a text, one line each.
    func problems(_ text: String, variables: [String: String] = [:]) -> [String] {
        do {
            _ = try read(text, variables: variables)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }
}

/// The smallest configuration that works, with more keys put into one of its places: `redis` in line 2, `app` in
/// line 6, `worker` in line 9, `root` in line 10.
func minimal(redis: String = "", app: String = "", worker: String = "", root: String = "") -> String {
    """
    {
      redis: { url: "redis://127.0.0.1:6379/0", \(redis) },
      apps: {
        audiobooks: {
          bundleId: "com.example.audiobooks", environment: "production", issuerId: "57246542-96fe-1a63-e053-0824d011072a",
          keyId: "2X9R4HXF34", privateKey: "file:key.p8", \(app)
        },
      },
      worker: { \(worker) },
      \(root)
    }
    """
}
