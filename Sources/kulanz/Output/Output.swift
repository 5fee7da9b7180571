import Foundation
import Refunds

/// Results go to standard output, words for people to standard error.
enum Output {
    static func line(_ text: String) { write(text + "\n") }
    static func line(_ json: JSON) { write(json.text + "\n") }

    static func note(_ text: String) { complain(text + "\n") }

    static func write(_ text: String) {
        guard put(text, STDOUT_FILENO) else {
            // The reader has gone (`| head`): end as other commands do, by the signal and without a word.
            signal(SIGPIPE, SIG_DFL)
            raise(SIGPIPE)
            exit(ExitCode.fault.rawValue)
        }
    }

    /// Whoever closes standard error doesn't want to know.
    static func complain(_ text: String) { _ = put(text, STDERR_FILENO) }

    private static func put(_ text: String, _ descriptor: Int32) -> Bool {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent)
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&entry, 1, -1) == 1 else { return false }
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

extension String {
    /// Fit for a terminal: what a producer wrote must not move its cursor.
    var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "\u{FFFD}" : scalar
                }))
    }
}
