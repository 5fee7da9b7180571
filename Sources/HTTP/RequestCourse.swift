/// Where one request at the server stands. Knows no socket: an event goes in, what to do next comes out.
struct RequestCourse {
    private enum State {
        case head
        case body(count: Int)
        /// The handler has the request.
        case asked
        /// Nobody will decide any more; ended from outside.
        case hanging
        case decided(HTTPServerAction)
        case over
    }

    enum Step {
        /// Take what comes next.
        case read
        /// Put the connection to sleep and give the request to the handler.
        case ask
        /// Put the connection to sleep until the client leaves or the server stops.
        case sleep
        case answer(status: Int, headers: [(name: String, value: String)], body: [UInt8])
        /// Close the connection, no byte of an answer sent.
        case cut
    }

    private var state = State.head
    private let maxBodyBytes: Int

    init(maxBodyBytes: Int) { self.maxBodyBytes = maxBodyBytes }

    /// Whether the next event is the head.
    var isNew: Bool { if case .head = state { true } else { false } }

    /// The request line and the fields are here. `early` is what was decided without the body.
    mutating func headArrived(contentLength: Int?, early: HTTPServerAction?) -> Step {
        if let early { return carryOut(early) }
        guard contentLength ?? 0 <= maxBodyBytes else {
            return carryOut(.respond(status: 413, headers: [("Connection", "close")]))
        }
        state = .body(count: 0)
        return .read
    }

    /// A piece of the body is here.
    mutating func bodyArrived(_ count: Int) -> Step {
        guard case .body(let before) = state else { return .read }
        // A body whose length wasn't told and that grows too large can't be answered before its end.
        guard before + count <= maxBodyBytes else { return carryOut(.cut) }
        state = .body(count: before + count)
        return .read
    }

    /// The server asks how to go on: the body has ended, or a sleeping connection was woken.
    mutating func proceed() -> Step {
        switch state {
        case .body:
            state = .asked
            return .ask
        case .decided(let action): return carryOut(action)
        case .head, .asked, .hanging, .over: return .cut
        }
    }

    /// The handler has decided, or the request is ended from outside. True: the connection sleeps and is to be woken.
    mutating func decide(_ action: HTTPServerAction) -> Bool {
        switch state {
        case .asked:
            if case .hang = action {
                state = .hanging
                return false
            }
            state = .decided(action)
            return true
        case .hanging:
            state = .decided(.cut)
            return true
        case .head, .body, .decided, .over: return false
        }
    }

    /// Whether the request waits for the client to leave.
    var isHanging: Bool { if case .hanging = state { true } else { false } }

    private mutating func carryOut(_ action: HTTPServerAction) -> Step {
        state = .over
        switch action {
        case .respond(let status, let headers, let body):
            return .answer(status: status, headers: headers, body: body)
        case .cut: return .cut
        case .hang:
            state = .hanging
            return .sleep
        }
    }
}
