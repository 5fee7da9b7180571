/// A whole answer: the status line, every field and every byte of the body have arrived.
package struct HTTPResponse: Sendable, Hashable {
    /// A field of an answer; its name is in lower case, whatever the server wrote.
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name.lowercased()
            self.value = value
        }
    }

    package let status: Int
    /// All fields in their order; a field that came twice is here twice.
    package let headers: [Field]
    package let body: [UInt8]
    /// `1.0`, `1.1` or `2`.
    package let version: String
    /// Nothing but the end of the connection marked the body's end (HTTP/1 without a length, RFC 9112 section 6.3),
    /// which can't be told from a cut: the status holds, the body may lack its tail.
    package let endedByClose: Bool

    package init(
        status: Int, headers: [Field] = [], body: [UInt8] = [], version: String = "1.1", endedByClose: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.version = version
        self.endedByClose = endedByClose
    }

    /// Every value of a field, in order; the name in any case.
    package func values(of name: String) -> [String] {
        let name = name.lowercased()
        return headers.filter { $0.name == name }.map(\.value)
    }
}
