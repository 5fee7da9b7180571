import Redis
import Telemetry
import Testing

@Suite struct RedisLogLineTests {
    @Test(
        arguments: [
            ("7128:M 30 Nov 2026 06:25:02.302 * The server is now ready", .info, "The server is now ready"),
            (
                "7128:C 3 Nov 2026 06:25:02.297 # oO0OoO0OoO0Oo Redis is starting", .info,
                "oO0OoO0OoO0Oo Redis is starting"
            ),
            ("7128:M 30 Nov 2026 06:25:02.300 # WARNING Memory overcommit", .warning, "WARNING Memory overcommit"),
            (
                "7128:M 30 Nov 2026 06:25:02.300 # Error writing to the AOF file: No space left on device", .warning,
                "Error writing to the AOF file: No space left on device"
            ),
            ("7128:M 30 Nov 2026 06:25:02.300 - Accepted", .debug, "Accepted"),
            ("7128:M 30 Nov 2026 06:25:02.300 . deep", .debug, "deep"),
            ("7128:signal-handler (1796019905) Received SIGTERM", .info, "Received SIGTERM"),
        ] as [(String, Log.Level, String)])
    func `a line of the server's log has a level and a message`(line: String, level: Log.Level, message: String) {
        let read = RedisLogLine(line)
        #expect(read?.level == level)
        #expect(read?.message == message)
    }

    @Test(arguments: ["*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***", "", "=== REDIS BUG REPORT START", "  _._"])
    func `what is no line of it stays what it is`(line: String) {
        #expect(RedisLogLine(line) == nil)
    }
}
