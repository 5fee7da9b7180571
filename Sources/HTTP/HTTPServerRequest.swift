/// One request as the server read it.
package struct HTTPServerRequest: Sendable {
    package let method: String
    /// The path as it was sent, without the query, percent-encoding untouched.
    package let path: String
    /// What followed `?`, untouched; nil without a `?`.
    package let query: String?
    /// All fields in their order, names as they were sent; a field that came twice is here twice.
    package let headers: [(name: String, value: String)]
    /// Empty in `beforeBody`.
    package var body: [UInt8]
    /// When the request line and the fields were read, stamped on the loop.
    package let arrival: ContinuousClock.Instant
    /// The same for all requests of one connection, never used again by another one of this server.
    package let connection: UInt64

    package init(
        method: String, path: String, query: String? = nil, headers: [(name: String, value: String)] = [],
        body: [UInt8] = [], arrival: ContinuousClock.Instant = .now, connection: UInt64 = 0
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.arrival = arrival
        self.connection = connection
    }

    /// Every value of a field, in order; the name in any case.
    package func values(of name: String) -> [String] {
        let name = name.lowercased()
        return headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}
