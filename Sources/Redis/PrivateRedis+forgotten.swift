import EventLoop
import Foundation

extension PrivateRedis {
    /// The socket of a server in this folder.
    package nonisolated static func socket(in folder: String) -> String { "\(folder)/redis.sock" }

    /// How many bytes a UNIX socket's path may have.
    package nonisolated static let longestSocketPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Ends a server that an earlier process of ours left running on this folder when it was killed, and returns once
    /// it is gone; true if there was one. Two servers on one file would ruin it.
    ///
    /// SIGTERM makes it write and close its file; one that doesn't listen is killed after `patience`, which loses
    /// nothing that it acknowledged (`.always`). The kernel names who listens on the socket, whatever state it is in.
    @discardableResult
    package func endForgotten(patience: Duration = .seconds(10)) async throws(PrivateRedisError) -> Bool {
        let socket = Self.socket(in: folder)
        guard var listener = Listener.find(socket) else { return false }
        guard listener.uid == geteuid() else {
            throw .notStarted("process \(listener.pid) of another user listens on \(socket)")
        }
        let domain = LoopDomain(loop)
        let insist = ContinuousClock.now + patience
        kill(listener.pid, SIGTERM)
        // It closes its socket after its file. Its process may stay longer, as a zombie that nobody collects.
        while let present = Listener.find(socket) {
            if present.pid != listener.pid { throw .notStarted("process \(present.pid) just started on \(socket)") }
            if ContinuousClock.now > insist { kill(listener.pid, SIGKILL) }
            listener = present
            do { try await domain.sleep(for: .milliseconds(20)) } catch { throw .notStarted("it was interrupted") }
        }
        return true
    }
}

/// Who listens on a UNIX socket.
private struct Listener {
    let pid: Int32
    let uid: uid_t

    /// Nil if nobody does.
    static func find(_ path: String) -> Listener? {
        #if canImport(Glibc)
            let descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = Foundation.socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // A full queue of a stopped server must not hold us.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        guard connects(descriptor, path) else { return nil }
        return peer(descriptor)
    }

    private static func connects(_ descriptor: Int32, _ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count <= PrivateRedis.longestSocketPath else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    private static func peer(_ descriptor: Int32) -> Listener? {
        #if os(Linux)
            // `struct ucred`, which Glibc's module hides: process, user, group.
            var who: (Int32, uid_t, gid_t) = (0, 0, 0)
            var length = socklen_t(MemoryLayout.size(ofValue: who))
            guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &length) == 0, who.0 > 0 else { return nil }
            return Listener(pid: who.0, uid: who.1)
        #else
            var pid: pid_t = 0
            var length = socklen_t(MemoryLayout<pid_t>.size)
            var (uid, gid): (uid_t, gid_t) = (0, 0)
            guard getsockopt(descriptor, SOL_LOCAL, LOCAL_PEERPID, &pid, &length) == 0, pid > 0,
                getpeereid(descriptor, &uid, &gid) == 0
            else { return nil }
            return Listener(pid: pid, uid: uid)
        #endif
    }
}
