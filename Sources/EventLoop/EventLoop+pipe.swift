import CUv

extension EventLoop {
    /// A pipe that no child inherits, not even one that another loop starts at this moment. The caller closes both ends.
    /// The corresponding C function is `uv_pipe`.
    package static func makePipe() throws(SystemFailure) -> (reading: Int32, writing: Int32) {
        var ends: (uv_file, uv_file) = (0, 0)
        let status = withUnsafeMutablePointer(to: &ends) { ends in
            ends.withMemoryRebound(to: uv_file.self, capacity: 2) { uv_pipe($0, 0, 0) }
        }
        guard status == 0 else { throw SystemFailure(code: -status, message: String(cString: uv_strerror(status))) }
        return ends
    }
}
