import Foundation

/// Tells the service manager what this process is at: systemd's protocol of sd_notify(3), one datagram a word.
package struct ServiceNotice: Sendable {
    /// Nil where nobody asked to be told.
    private let address: String?

    /// Takes the address out of the environment, so that no child speaks in our name.
    package static func taken() -> ServiceNotice {
        let address = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
        unsetenv("NOTIFY_SOCKET")
        return ServiceNotice(address: address)
    }

    package init(address: String?) { self.address = address?.isEmpty == true ? nil : address }

    /// Whoever doesn't listen is not told; the work goes on.
    package func send(_ words: String) {
        guard let address else { return }
        #if canImport(Glibc)
            let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
            let kind = SOCK_DGRAM
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard let (found, length) = Self.name(address) else { return }
        var name = found
        let bytes = Array(words.utf8)
        withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(descriptor, bytes, bytes.count, 0, $0, length)
            }
        }
    }

    private static func name(_ address: String) -> (sockaddr_un, socklen_t)? {
        // "@" stands for the zero byte that begins a name without a file.
        var bytes = Array(address.utf8)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        if isAbstract { bytes[0] = 0 }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        guard bytes.count < MemoryLayout.size(ofValue: name.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        return (name, socklen_t(start + bytes.count + (isAbstract ? 0 : 1)))
    }
}
