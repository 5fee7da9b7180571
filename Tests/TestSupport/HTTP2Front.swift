package import EventLoop
import Foundation
import Lifecycle

/// nghttpx before a simulator that speaks HTTPS.
package struct HTTP2Front: Sendable {
    package static let program = ["/usr/sbin/nghttpx", "/usr/bin/nghttpx", "/opt/homebrew/bin/nghttpx"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    package let port: UInt16
    private let child: ChildProcess
    private let reserved: Int32
    private let accessLog: String

    /// - Parameter folder: with `server.key`, `server.pem` and `ca.pem`.
    package init(to backend: UInt16, certificates folder: String, on loop: EventLoop) async throws {
        let (reserved, port) = Self.reservePort()
        accessLog = folder + "/access.log"
        let command = Mortal(
            Self.program ?? "nghttpx",
            [
                "--conf=/dev/null", "--single-process", "--workers=1", "--no-ocsp", "--errorlog-file=/dev/null",
                "--frontend=127.0.0.1,\(port)", "--backend=localhost,\(backend);;tls;proto=http/1.1",
                "--cacert=\(folder)/ca.pem", "--accesslog-file=\(accessLog)", "--accesslog-format=$alpn",
                "\(folder)/server.key", "\(folder)/server.pem",
            ])
        let options = ChildProcess.Options(
            arguments: command.arguments, output: .discarded, errors: .discarded)
        child = try await ChildProcess.start(command.program, options, on: loop)
        (self.port, self.reserved) = (port, reserved)
        while !Self.answers(port) {
            guard await child.isRunning else { throw HTTP2FrontFailed() }
            try await LoopDomain(loop).sleep(for: .milliseconds(15))
        }
    }

    /// By which protocols requests came, in the words of ALPN.
    package var protocols: Set<Substring> {
        Set(((try? String(contentsOfFile: accessLog, encoding: .utf8)) ?? "").split(separator: "\n"))
    }

    package func stop() async {
        await child.stop()
        close(reserved)
    }

    /// nghttpx can't be asked for any free port. One that is bound and not listened on is given to nobody else, and
    /// may be bound again by who, like nghttpx, says `SO_REUSEADDR`.
    private static func reservePort() -> (descriptor: Int32, port: UInt16) {
        let descriptor = tcpSocket()
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in.loopback()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        precondition(isBound, "no port is free")
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private static func answers(_ port: UInt16) -> Bool {
        let descriptor = tcpSocket()
        defer { close(descriptor) }
        var address = sockaddr_in.loopback(port)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func tcpSocket() -> Int32 {
        #if os(Linux)
            socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }
}

/// nghttpx ended before it listened.
private struct HTTP2FrontFailed: Error {}
