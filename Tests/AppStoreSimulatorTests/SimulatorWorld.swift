import AppStoreSimulator
import EventLoop
import Foundation
import HTTP
import TestSupport
import Testing

/// A simulator on a free port, and a client that calls it over real HTTP.
struct SimulatorWorld {
    let simulator: Simulator
    let port: UInt16
    let client: HTTPClient
    let baseURL: String

    /// What a caller sees.
    struct Reply {
        let response: HTTPResponse?
        let failure: HTTPFailure.Kind?
        /// The connection ended without an answer. On a kept-alive one libcurl would send again, which our client forbids.
        var wasCut: Bool { failure == .reset || failure == .repeatedByTransport }
        var status: Int? { response?.status }
        var body: [UInt8]? { response?.body }
        var text: String { String(decoding: body ?? [], as: UTF8.self) }
        func values(of name: String) -> [String] { response?.values(of: name) ?? [] }
        var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(response?.body ?? []))) as? [String: Any] ?? [:]
        }
        var code: Int? { object["errorCode"] as? Int }
    }

    func call(
        _ endpoint: String = "transaction/requestRefund", _ transactionId: String = "2000000123456789",
        _ body: String, authorization: String? = TestApp().authorization, deadline: Duration = .seconds(30)
    ) async -> Reply {
        await send(
            "POST", "/advancedCommerce/v1/\(endpoint)/\(transactionId)", body,
            headers: [("Content-Type", "application/json")] + (authorization.map { [("Authorization", $0)] } ?? []),
            deadline: deadline)
    }

    func send(
        _ method: String, _ path: String, _ body: String = "", headers: [(String, String)] = [],
        deadline: Duration = .seconds(30)
    ) async -> Reply {
        let request = HTTPRequest(
            method: method, url: baseURL + path, headers: headers, body: Array(body.utf8))
        switch await client.send(request, deadline: deadline) {
        case .response(let response): return Reply(response: response, failure: nil)
        case .unsent(let failure), .unclear(let failure): return Reply(response: nil, failure: failure.kind)
        }
    }

    /// The arrivals of one transaction, in order.
    func entries(of transactionId: String) async -> [JournalEntry] {
        await simulator.entries.filter { $0.transactionId == transactionId }
    }
}

extension String {
    static let refund = "transaction/requestRefund"
    static let revoke = "subscription/revoke"
    static let cancel = "subscription/cancel"
}

/// Runs a simulator for `body`; `scenario` is the inside of a JSON5 object, without the one known app if it is nil.
func withSimulator<Result>(
    _ scenario: String = "", app: String? = "", loop: EventLoop = TestLoop.shared,
    over wire: Wire = .plain, change: (inout SimulatorOptions) -> Void = { _ in },
    _ body: (SimulatorWorld) async throws -> Result
) async throws -> Result {
    var options = SimulatorOptions()
    let apps = app.map { "apps: { \(TestApp.configured($0)) }," } ?? ""
    options.scenario = try Scenario(json5: Array("{ \(apps) \(scenario) }".utf8))
    change(&options)
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    if wire != .plain { options.tlsFolder = folder.path }
    let simulator = try Simulator(loop: loop, options: options)
    let port = try await simulator.start()
    let front = wire == .http2 ? try await HTTP2Front(to: port, certificates: folder.path, on: TestLoop.shared) : nil
    let client = HTTPClient(loop: TestLoop.shared, options: HTTPClient.Options(caFile: simulator.caFile))
    let base = wire == .plain ? "http://127.0.0.1:\(port)" : "https://localhost:\(front?.port ?? port)"
    let world = SimulatorWorld(simulator: simulator, port: port, client: client, baseURL: base)
    let outcome: Swift.Result<Result, any Error>
    do { outcome = .success(try await body(world)) } catch { outcome = .failure(error) }
    await client.close()
    await front?.stop()
    await simulator.stop()
    return try outcome.get()
}
