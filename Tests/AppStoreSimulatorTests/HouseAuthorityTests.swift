import AppStoreSimulator
import EventLoop
import Foundation
import HTTP
import TestSupport
import Testing

@Suite struct `A simulator that speaks HTTPS` {
    private func report(_ simulator: Simulator, caFile: String?, host: String) async throws -> HTTPOutcome {
        let port = try await simulator.start()
        let client = HTTPClient(loop: TestLoop.shared, options: .init(caFile: caFile))
        let outcome = await client.send(
            HTTPRequest(method: "GET", url: "https://\(host):\(port)/_simulator/report"), deadline: .seconds(20))
        await client.close()
        await simulator.stop()
        return outcome
    }

    private func simulator(_ folder: String) throws -> Simulator {
        var options = SimulatorOptions()
        options.tlsFolder = folder
        return try Simulator(loop: TestLoop.shared, options: options)
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `is trusted by who trusts its authority, by name and by address`(host: String) async throws {
        try await withTemporaryFolder { folder in
            let simulator = try simulator(folder["tls"])
            let outcome = try await report(simulator, caFile: simulator.caFile, host: host)
            guard case .response(let answer) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(answer.status == 200)
        }
    }

    @Test func `is sent nothing by who doesn't trust its authority`() async throws {
        try await withTemporaryFolder { folder in
            let outcome = try await report(try simulator(folder["tls"]), caFile: nil, host: "localhost")
            guard case .unsent(let failure) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(failure.kind == .tls)
            #expect(failure.message.contains("certificate"))
        }
    }

    @Test func `takes up the authority of its folder, which only its owner can read the secret of`() async throws {
        try await withTemporaryFolder { folder in
            let first = try simulator(folder["tls"]).caFile
            let before = try String(contentsOfFile: try #require(first), encoding: .utf8)
            let second = try simulator(folder["tls"])
            #expect(try String(contentsOfFile: folder["tls/ca.pem"], encoding: .utf8) == before)
            guard case .response = try await report(second, caFile: first, host: "localhost") else {
                Issue.record("an old ca.pem is no longer trusted")
                return
            }
            for secret in ["tls/ca.key", "tls/server.key"] {
                let rights = try FileManager.default.attributesOfItem(atPath: folder[secret])[.posixPermissions]
                #expect(rights as? Int == 0o600)
            }
        }
    }

    @Test(arguments: ["ca.key", "ca.pem"])
    func `overwrites nobody's authority`(missing: String) async throws {
        try await withTemporaryFolder { folder in
            _ = try simulator(folder["tls"])
            try FileManager.default.removeItem(atPath: folder["tls/\(missing)"])
            #expect(throws: HouseAuthorityError.foreign(file: folder["tls/ca.pem"], secret: folder["tls/ca.key"])) {
                try simulator(folder["tls"])
            }
            // Another's key doesn't fit either.
            _ = try simulator(folder["other"])
            try FileManager.default.copyItem(atPath: folder["other/\(missing)"], toPath: folder["tls/\(missing)"])
            #expect(throws: HouseAuthorityError.self) { try simulator(folder["tls"]) }
        }
    }
}
