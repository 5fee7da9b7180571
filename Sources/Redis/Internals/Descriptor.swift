import Foundation

/// The few system calls on a non-blocking stream socket, with EINTR retried.
enum Descriptor {
    #if os(Linux)
        static let stream = Int32(SOCK_STREAM.rawValue)
        private static let quietly = Int32(MSG_NOSIGNAL)
    #else
        static let stream = SOCK_STREAM
        private static let quietly: Int32 = 0
    #endif

    /// Nil with `errno` set when there is no descriptor left.
    static func socket(family: Int32) -> Int32? {
        let descriptor = Foundation.socket(family, stream, 0)
        guard descriptor >= 0 else { return nil }
        // Children must not inherit a connection: they would keep it open after we closed it.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        if family != AF_UNIX {
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, size)
            setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &one, size)
        }
        #if !os(Linux)
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, size)
        #endif
        return descriptor
    }

    /// 0 when connected, EINPROGRESS when it is under way, else the `errno`.
    static func connect(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
        address.bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return EINVAL }
            let pointer = base.assumingMemoryBound(to: sockaddr.self)
            let status = Foundation.connect(descriptor, pointer, socklen_t(bytes.count))
            // An interrupted connect goes on by itself, like one that is under way.
            return status == 0 ? 0 : errno == EINTR ? EINPROGRESS : errno
        }
    }

    /// How a connect that was under way ended: 0, or the `errno`.
    static func connectResult(_ descriptor: Int32) -> Int32 {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno
    }

    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Wire.Transfer {
        while true {
            let count = send(descriptor, bytes.baseAddress, bytes.count, quietly)
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed(errno)
            }
        }
    }

    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Wire.Transfer {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed(errno)
            }
        }
    }

    static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
