import CUv

/// A child process whose end the loop reports. It keeps itself alive until then, so an end is always collected and
/// no zombie stays.
///
/// Make and signal it on the loop's thread; `onExit` runs there too.
package final class LoopProcess {
    /// How a process ended: its exit code, or the signal that killed it (then `code` means nothing).
    package struct Exit: Sendable, Hashable {
        package let code: Int32
        /// 0 when no signal killed it.
        package let signal: Int32
    }

    /// What a child is started with. Descriptors are lent: they stay the caller's to close.
    package struct Plan {
        /// A path, or a name looked up in `PATH`.
        package var program: String
        package var arguments: [String] = []
        /// `NAME=value` each; nil inherits ours.
        package var environment: [String]?
        package var directory: String?
        /// Descriptors that become 0, 1 and 2 of the child; nil is `/dev/null`.
        package var descriptors: [Int32?] = [nil, nil, nil]
        /// In a session of its own it doesn't get the terminal's ^C, which goes to every process of a group.
        package var hasOwnSession = false

        package init(program: String) { self.program = program }
    }

    package let pid: Int32
    private let handle: UnsafeMutablePointer<uv_process_t>
    private let onExit: (Exit) -> Void
    private var isRunning = true

    private init(_ handle: UnsafeMutablePointer<uv_process_t>, _ onExit: @escaping (Exit) -> Void) {
        self.handle = handle
        self.onExit = onExit
        pid = handle.pointee.pid
    }

    /// Sends a signal; false once the process has ended (its pid may be another's by then).
    @discardableResult
    package func kill(_ signal: Int32) -> Bool {
        isRunning && uv_process_kill(handle, signal) == 0
    }

    fileprivate static func start(
        _ plan: Plan, on loop: EventLoop, onExit: @escaping (Exit) -> Void
    ) throws(SystemFailure) -> LoopProcess {
        loop.checkIsolated()
        let handle = UnsafeMutablePointer<uv_process_t>.allocate(capacity: 1)
        var containers = plan.descriptors.map { descriptor in
            var container = uv_stdio_container_t()
            container.flags = descriptor == nil ? UV_IGNORE : UV_INHERIT_FD
            if let descriptor { container.data.fd = descriptor }
            return container
        }
        // A child has the three that it is given. With any other it would keep ports listening and pipes open that we
        // closed long ago; libuv leaves them to it.
        kulanz_uv_seal_descriptors()
        let status = withCStrings([plan.program] + plan.arguments) { arguments in
            withCStrings(plan.environment ?? []) { environment in
                containers.withUnsafeMutableBufferPointer { containers in
                    withOptionalCString(plan.directory) { directory in
                        var options = uv_process_options_t()
                        options.exit_cb = { handle, code, signal in
                            guard let handle, let data = handle.pointee.data else { return }
                            let process = Unmanaged<LoopProcess>.fromOpaque(data).takeRetainedValue()
                            handle.pointee.data = nil
                            process.end(Exit(code: Int32(truncatingIfNeeded: code), signal: signal), on: handle)
                        }
                        options.file = UnsafePointer(arguments[0])
                        options.args = arguments
                        options.env = plan.environment == nil ? nil : environment
                        options.cwd = directory
                        options.flags = plan.hasOwnSession ? UInt32(UV_PROCESS_DETACHED.rawValue) : 0
                        options.stdio_count = Int32(containers.count)
                        options.stdio = containers.baseAddress
                        return uv_spawn(loop.raw, handle, &options)
                    }
                }
            }
        }
        guard status == 0 else {
            handle.pointee.data = nil
            // uv_spawn initializes the handle even when it fails, so it must be closed, not just freed.
            loop.close(kulanz_uv_handle(handle))
            throw SystemFailure(code: -status, message: String(cString: uv_strerror(status)))
        }
        let process = LoopProcess(handle, onExit)
        // Retained: the exit callback gives this back.
        handle.pointee.data = Unmanaged.passRetained(process).toOpaque()
        process.loop = loop
        return process
    }

    private var loop: EventLoop?

    private func end(_ exit: Exit, on handle: UnsafeMutablePointer<uv_process_t>) {
        isRunning = false
        loop?.close(kulanz_uv_handle(handle))
        loop = nil
        onExit(exit)
    }
}

/// A system call that failed, by its `errno`.
package struct SystemFailure: Error, Hashable, CustomStringConvertible {
    package let code: Int32
    package let message: String

    package init(code: Int32, message: String) { (self.code, self.message) = (code, message) }
    package var description: String { message }
}

extension EventLoop {
    /// Starts a child process. The corresponding C function is `uv_spawn`.
    package func spawn(
        _ plan: LoopProcess.Plan, onExit: @escaping (LoopProcess.Exit) -> Void
    ) throws(SystemFailure) -> LoopProcess {
        try LoopProcess.start(plan, on: self, onExit: onExit)
    }
}

private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let pointers = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
    defer { pointers.deallocate() }
    for (index, string) in strings.enumerated() {
        let bytes = string.utf8CString
        let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        pointers[index] = copy.baseAddress
    }
    pointers[strings.count] = nil
    defer { for index in strings.indices { pointers[index]?.deallocate() } }
    // The terminating nil makes the buffer non-empty, so it has an address.
    guard let base = pointers.baseAddress else { preconditionFailure("an empty buffer of C strings") }
    return body(base)
}

private func withOptionalCString<Result>(_ string: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    guard let string else { return body(nil) }
    return string.withCString(body)
}
