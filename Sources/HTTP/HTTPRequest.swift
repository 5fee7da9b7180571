/// One request as the client sends it. `Host`, `Content-Length` and `User-Agent` are added by the client.
package struct HTTPRequest: Sendable {
    /// A method as on the wire, such as `POST`.
    package var method: String
    /// An absolute `http` or `https` URL; no other scheme is ever followed.
    package var url: String
    /// Fields in the order in which they are sent. A value with CR, LF or NUL makes the request invalid.
    package var headers: [(String, String)]
    package var body: [UInt8]

    package init(method: String, url: String, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}
