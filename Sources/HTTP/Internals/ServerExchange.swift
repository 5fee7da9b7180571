import CMicroHTTPD
import EventLoop

/// One request at the server with libmicrohttpd's handle of its connection. Lives on the loop's thread.
final class ServerExchange {
    let id: UInt64
    /// Valid until libmicrohttpd reports the request as completed.
    let connection: OpaquePointer
    private let target: String
    var course: RequestCourse
    var body: [UInt8] = []
    private var head: HTTPServerRequest?
    /// Tells when the client of a hanging request leaves; gone before the connection's descriptor is closed.
    var absence: DescriptorWatch?

    init(id: UInt64, connection: OpaquePointer, target: String, course: RequestCourse) {
        self.id = id
        self.connection = connection
        self.target = target
        self.course = course
    }

    /// The request without its body, stamped now.
    func readHead(method: String) -> HTTPServerRequest {
        let arrival = ContinuousClock.now
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let head = HTTPServerRequest(
            method: method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil,
            headers: fields, arrival: arrival,
            connection: UInt64(UInt(bitPattern: kulanz_mhd_socket_context(connection))))
        self.head = head
        return head
    }

    private var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        withUnsafeMutablePointer(to: &fields) { list in
            _ = MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { list, _, name, nameCount, value, valueCount in
                    let name = UnsafeRawBufferPointer(start: name, count: nameCount)
                    let value = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueCount)
                    list?.assumingMemoryBound(to: [(name: String, value: String)].self).pointee.append(
                        (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
                    return .YES
                }, list)
        }
        return fields
    }

    /// The request with its body, once.
    func wholeRequest() -> HTTPServerRequest? {
        guard var request = head else { return nil }
        request.body = body
        (head, body) = (nil, [])
        return request
    }

    /// Queues the answer; libmicrohttpd copies what it needs.
    func answer(status: Int, headers: [(name: String, value: String)], body: [UInt8]) -> MHD_Result {
        let response = body.withUnsafeBytes { bytes in
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let response else { return .NO }
        defer { MHD_destroy_response(response) }
        for (name, value) in headers { MHD_add_response_header(response, name, value) }
        return MHD_queue_response(connection, UInt32(clamping: status), response)
    }
}
