/// One HTTP request as it came to this server, with the moments at which it came.
package struct Arrival: Sendable {
    /// Nanoseconds of a monotonic clock since the simulator started, taken when the request's head was complete.
    package var nanoseconds: Int64
    /// UNIX ms of the wall clock; only tokens, payloads and Retry-After look at it.
    package var wallMs: Int64
    package var connection: UInt64
    package var method: String
    package var path: String
    package var authorization: String?
    package var body: [UInt8]

    package init(
        nanoseconds: Int64, wallMs: Int64, connection: UInt64 = 0, method: String = "POST", path: String,
        authorization: String?, body: [UInt8]
    ) {
        self.nanoseconds = nanoseconds
        self.wallMs = wallMs
        self.connection = connection
        self.method = method
        self.path = path
        self.authorization = authorization
        self.body = body
    }
}
