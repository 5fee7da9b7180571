import AppStoreSimulator
import Configuration
import Foundation
import HTTP
import Queue
import Redis

/// Why a command didn't do what it should, with the code that it exits with.
struct CommandFailure: Error {
    let code: ExitCode
    /// Nil where everything was said already.
    let message: String?

    init(_ code: ExitCode, _ message: String? = nil) {
        self.code = code
        self.message = message
    }

    /// What any error of a command means for whoever called it.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as ConfigurationError: self.init(.configuration, error.description)
        case let error as QueueError: self.init(Self.code(of: error.redisError), error.description)
        case let error as RedisError: self.init(Self.code(of: error), error.description)
        case let error as HTTPServerError: self.init(.unreachable, "\(error)")
        case let error as ScenarioError: self.init(.configuration, "the scenario can't be used: \(error)")
        case let error as HouseAuthorityError: self.init(.configuration, "\(error)")
        case let error as CocoaError: self.init(.noSuchThing, error.localizedDescription)
        default: self.init(.fault, "\(error)")
        }
    }

    private static func code(of error: RedisError?) -> ExitCode {
        if case .insecure(let reason) = error { return reason.isOurs ? .configuration : .unreachable }
        return switch error?.kind {
        case .noAuth, .wrongPass, .noPerm: .configuration
        case .some where error?.isRetryable == true, .oom, .misconf: .tryAgain
        case .some: .unreachable
        case nil: error == nil ? .badData : .unreachable
        }
    }
}
