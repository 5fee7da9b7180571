/// What goes back over the wire.
package struct Answer: Sendable, Hashable {
    package var status: Int
    package var headers: [Header]
    package var body: [UInt8]

    package struct Header: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    package init(status: Int, contentType: String?, body: [UInt8], headers: [Header] = []) {
        self.status = status
        self.headers = (contentType.map { [Header(name: "Content-Type", value: $0)] } ?? []) + headers
        self.body = body
    }

    /// The code in the body, if it has one.
    var errorCode: Int? {
        status >= 300 ? JSONValue(reading: body)?["errorCode"]?.integer.map(Int.init) : nil
    }

    /// Apple's error body, `{"errorCode", "errorMessage"}`.
    static func refusal(_ refusal: Refusal, headers: [Header] = []) -> Answer {
        let body = JSONValue.members([
            "errorCode": .int(refusal.code), "errorMessage": .string(refusal.message),
        ])
        return Answer(status: refusal.status, contentType: "application/json", body: body.bytes, headers: headers)
    }

    /// A 429 whose Retry-After is, as Apple documents it, the UNIX time in ms from which the next request may come.
    static func rateLimited(retryAfter: String?) -> Answer {
        .refusal(
            Refusal(.rateLimitExceeded), headers: retryAfter.map { [Header(name: "Retry-After", value: $0)] } ?? [])
    }

    /// Apple's 401 is listed without a body type; developers have seen this plain text with a request id.
    static func unauthenticated(requestId: String) -> Answer {
        let text = "Unauthenticated\n\nRequest ID: \(requestId)\n"
        return Answer(status: 401, contentType: "text/plain;charset=utf-8", body: Array(text.utf8))
    }

    /// What a load balancer says in Apple's stead.
    static func html(status: Int, title: String) -> Answer {
        let page =
            "<html><head><title>\(status) \(title)</title></head><body><h1>\(status) \(title)</h1></body></html>\n"
        return Answer(status: status, contentType: "text/html", body: Array(page.utf8))
    }
}
