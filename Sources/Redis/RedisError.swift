/// Why a call to Redis has no result.
package enum RedisError: Error, Sendable, Hashable {
    /// The server answered with an error.
    case server(RedisServerError)
    /// No connection could be made, so the command surely didn't run. `reason` tells what the last attempt met.
    case connectionRefused(reason: String)
    /// No private connection could be made, so the command surely didn't run.
    case insecure(RedisTLSError)
    /// The connection went while the call was waiting for its answer.
    case connectionLost(mayHaveRun: Bool)
    /// The call's deadline passed.
    case timedOut(mayHaveRun: Bool)
    /// What came back was not RESP2. The connection is closed.
    case protocolError(String)
    /// The calling task was cancelled.
    case cancelled(mayHaveRun: Bool)
    /// `close()` came first.
    case closed(mayHaveRun: Bool)
}

extension RedisError {
    /// Whether the command may have taken effect although there is no result.
    package var mayHaveRun: Bool {
        switch self {
        case .server(let error): error.mayHaveRun
        case .connectionRefused, .insecure: false
        case .protocolError: true
        case .connectionLost(let mayHaveRun), .timedOut(let mayHaveRun), .cancelled(let mayHaveRun),
            .closed(let mayHaveRun):
            mayHaveRun
        }
    }

    /// Whether the same call may succeed a little later without anybody's help. Whether it may be repeated is
    /// another question: see `mayHaveRun`.
    package var isRetryable: Bool {
        switch self {
        case .server(let error): error.isPassing
        case .connectionRefused, .connectionLost, .timedOut, .protocolError: true
        case .insecure, .cancelled, .closed: false
        }
    }

    /// The server's error, if it answered with one.
    package var kind: RedisServerError.Kind? {
        guard case .server(let error) = self else { return nil }
        return error.kind
    }
}

extension RedisError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .server(let error): error.description
        case .connectionRefused(let reason): "No connection to Redis: \(reason). The command didn't run."
        case .insecure(let error): "No private connection to Redis: \(error). The command didn't run."
        case .connectionLost(let mayHaveRun): "The connection to Redis was lost. \(Self.fate(mayHaveRun))"
        case .timedOut(let mayHaveRun): "Redis didn't answer in time. \(Self.fate(mayHaveRun))"
        case .protocolError(let reason): "What answers is not Redis, or speaks garbage: \(reason)."
        case .cancelled(let mayHaveRun): "The call to Redis was cancelled. \(Self.fate(mayHaveRun))"
        case .closed(let mayHaveRun): "The connection to Redis was closed by us. \(Self.fate(mayHaveRun))"
        }
    }

    private static func fate(_ mayHaveRun: Bool) -> String {
        mayHaveRun ? "The command may have run." : "The command didn't run."
    }
}
