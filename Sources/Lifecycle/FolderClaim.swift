import Foundation

/// That a folder belongs to this process, among all that ask: a lock on a file in it.
///
/// The kernel gives the lock back with the process, however that ends, so no claim is ever stale. It is one of POSIX's
/// record locks, whose holder others can ask for, and which no child inherits. Such a lock also goes when its process
/// closes *any* descriptor of the file: who holds a claim must not ask for its holder.
package struct FolderClaim: Sendable {
    /// Takes the lock until this process ends; the file is made when missing, readable by us alone.
    package static func take(_ file: String) throws(FolderClaimError) {
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FolderClaimError(file: file, errno: errno) }
        var lock = wholeFile
        guard fcntl(descriptor, F_SETLK, &lock) == 0 else {
            let code = errno
            let holder = code == EAGAIN || code == EACCES ? self.holder(descriptor) : nil
            close(descriptor)
            throw holder.map { .taken(pid: $0) } ?? FolderClaimError(file: file, errno: code)
        }
        // Never closed: it is the claim.
    }

    /// The process that holds the lock, nil if none does. 0 is one that can't be named, in another container.
    package static func holder(_ file: String) throws(FolderClaimError) -> Int32? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return nil }
            throw FolderClaimError(file: file, errno: errno)
        }
        defer { close(descriptor) }
        return holder(descriptor)
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var lock = wholeFile
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        return max(0, lock.l_pid)
    }

    private static var wholeFile: flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return lock
    }
}

package enum FolderClaimError: Error, Hashable, CustomStringConvertible {
    case taken(pid: Int32)
    case forbidden(file: String)
    case impossible(file: String, reason: String)

    init(file: String, errno: Int32) {
        self =
            errno == EACCES || errno == EPERM
            ? .forbidden(file: file) : .impossible(file: file, reason: String(cString: strerror(errno)))
    }

    package var description: String {
        switch self {
        case .taken(let pid): pid > 0 ? "process \(pid) has it" : "a process of another container has it"
        case .forbidden(let file): "this user may not open \(file)"
        case .impossible(let file, let reason): "\(file) can't be opened: \(reason)"
        }
    }
}
