import Arguments
import Configuration
import EventLoop
import Foundation
import Lifecycle
import Redis

struct Up: Command {
    static let name = "up"
    static let summary = "One machine, one command: the private Redis and the workers, kept alive."
    static let discussion = """
        With redis.url "embedded:DIR" it runs a redis-server of its own in that folder, for nobody but the user who \
        runs this; other commands with the same configuration find it there. Whatever dies is started again. \
        SIGTERM, Ctrl-C or a closed terminal lets what is under way come to its end, then ends Redis in order; a second \
        one ends at once, which loses nothing either. One log, on standard error, with the name of the process in front of \
        each line.
        """
    static let arguments: [Argument<Self>] =
        [
            .option(
                "--workers", "N", \.workers,
                "How many worker processes; as many as there are cores, but 2 to 8, if not given.")
        ] + LogOption.arguments.within(\.logging).titled("Log")
        + ConfigurationOption.arguments.within(\.configuration).filter { $0.name != "--json" }.titled("General")
    static let examples = [
        Example("up", "Everything that config/kulanz.json5 asks for."),
        Example("up --workers 2 --log-format json", "For a machine with other work, and a collector of logs."),
    ]

    /// One goes on while another is replaced; and before eight are busy, Redis is.
    static let standardWorkers = min(max(ProcessInfo.processInfo.activeProcessorCount, 2), 8)

    var workers: Int?
    var logging = LogOption()
    var configuration = ConfigurationOption()

    func validate() throws(UsageError) {
        if let workers, !(1...64).contains(workers) { throw .invalid("--workers expects 1 to 64") }
    }

    func run() async throws {
        let settings = try configuration.settings()
        let notice = ServiceNotice.taken()
        // What is in Redis' files is nobody else's business.
        umask(0o077)
        if let folder = settings.redis.embedded { try EmbeddedRedis.claim(folder) }
        let loop = EventLoop()
        let signals = await Signals.stream(of: Self.signals, on: loop)
        let household = Household(
            loop: loop, settings: settings, configuration: configuration.path, logging: logging,
            workers: workers ?? Self.standardWorkers)
        do {
            switch try await household.run(until: signals, notice: notice) {
            case .drained: return
            case .atOnce(let signal): endProcess(signal.map { 128 + $0 } ?? ExitCode.fault.rawValue)
            }
        } catch let error as ChildGivenUp {
            throw Self.failure(error)
        } catch let error as PrivateRedisError {
            throw CommandFailure(.unreachable, "\(error)")
        }
    }

    /// A terminal that closes is a wish to stop, except for who said by nohup that it isn't.
    private static var signals: [Int32] {
        let present = signal(SIGHUP, SIG_IGN)
        let isIgnored = unsafeBitCast(present, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        return isIgnored ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
    }

    private static func failure(_ error: ChildGivenUp) -> CommandFailure {
        var code = ExitCode.fault
        if case .code(let number) = error.exit { code = ExitCode(rawValue: number) ?? .fault }
        return CommandFailure(code, error.description)
    }
}
