import Arguments
import Foundation

/// Words in, exit code out: finds the command, runs it, and says what went wrong in a sentence.
enum Front {
    static func perform(_ words: [String]) async -> ExitCode {
        // A reader that goes away is met where we write, and a server that goes away where we send.
        signal(SIGPIPE, SIG_IGN)
        // 130 for every caller, not for shells alone. `worker` and `simulate` listen for themselves and replace this.
        signal(SIGINT) { _ in
            _ = write(STDERR_FILENO, "\n", 1)
            _exit(130)
        }
        do {
            switch try Kulanz.program.invocation(of: words, style: Terminal.helpStyle) {
            case .text(let text): Output.write(text)
            case .run(let command): try await command.run()
            }
            return .done
        } catch let error as UsageError {
            Output.complain(Kulanz.program.explanation(of: error, in: words))
            return .usage
        } catch {
            let failure = CommandFailure(error)
            if let message = failure.message { Output.complain("kulanz: \(message)\n") }
            return failure.code
        }
    }
}
