import AppStore
import Foundation
import HTTP

/// Answers every request at once with a 200, without a socket: what is left is what the fleet itself costs.
///
/// Only `BenchWorker` makes one, and that runs on nothing but a bench's own Redis.
struct NullTransport: AppStoreTransport {
    private let answer: HTTPResponse
    private let marks: Int32

    /// - Parameter marks: the file that gets a byte for each request.
    init(marks path: String) throws {
        marks = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard marks >= 0 else { throw BenchFailure("\(path): \(String(cString: strerror(errno)))") }
        answer = HTTPResponse(status: 200, body: try BenchAnswer.body())
    }

    func exchange(
        _ request: HTTPRequest, deadline: Duration, mayDepart: @escaping @Sendable () -> Bool
    ) async -> (outcome: HTTPOutcome, timings: HTTPTimings) {
        guard mayDepart() else {
            return (.unsent(HTTPFailure(kind: .notPermitted, message: "too late")), HTTPTimings())
        }
        _ = write(marks, "x", 1)
        return (.response(answer), HTTPTimings())
    }

    func warm(_ url: String) async {}
}
