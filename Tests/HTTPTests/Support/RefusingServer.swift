import Lifecycle
import TestSupport

/// An HTTP/2 server that reads requests and treats each in a way that HTTP/2 allows and libcurl stumbles over.
struct RefusingServer {
    enum Way: String {
        /// RST_STREAM with REFUSED_STREAM.
        case refusedStream
        /// The same for every request but the first of a connection, which is answered.
        case refusedLater
        /// Waits for two requests on one connection, refuses the first, and cuts the connection under the second.
        case refusedAndCut
        /// Begins an answer, and then says REFUSED_STREAM.
        case refusedTooLate
        /// RST_STREAM with HTTP_1_1_REQUIRED.
        case wantsHTTP1
        /// RST_STREAM with INTERNAL_ERROR.
        case internalError
        /// RST_STREAM with CANCEL.
        case cancel
        /// GOAWAY that names no stream as processed.
        case goAway
        /// Answers the first request of a connection; at the second, a GOAWAY that names only the first as processed.
        case goAwayLater
        /// GOAWAY that names this request as perhaps processed, then the connection's end.
        case goAwayAndCut
        /// GOAWAY that names this request as perhaps processed, then its answer.
        case goAwayAndAnswer
        /// Answers, says GOAWAY, and leaves the connection open.
        case goAwayIdle
        case cut
        /// Cuts every request but the first of a connection, which is answered.
        case cutLater
        /// The answer's head and half of its body, then the connection's end.
        case half
        /// The answer's head and half of its body, then RST_STREAM with INTERNAL_ERROR.
        case halfAndReset
        /// Answers with an empty 200 and says nothing more.
        case answers
        /// GOAWAY that names the first connection's first request as perhaps processed, and no answer; serves the other
        /// connections.
        case goAwayAndOwe
        /// Says nothing more on its first connection once that has had an answer, and serves the others.
        case mute
        /// Answers, idles a little, and leaves with GOAWAY, close_notify and FIN.
        case leaves
    }

    static let isAvailable = Program.path(of: "python3") != nil && Program.path(of: "openssl") != nil

    private let child: ChildProcess
    let port: UInt16

    init(_ way: Way, _ certificate: Certificate) async throws {
        child = try await Program.start(
            "python3", ["-c", Self.script, way.rawValue, certificate.file, certificate.keyFile])
        port = UInt16(await Self.line(of: child) ?? "") ?? 0
    }

    /// Waits for what happens next: a request, or that the server has left.
    @discardableResult func nextLine() async -> String? { await Self.line(of: child) }

    /// Ends the server; returns how many lines came that `nextLine` didn't wait for.
    @discardableResult func stop() async -> Int {
        await child.stop()
        return await child.output.reduce(0) { count, _ in count + 1 }
    }

    private static func line(of child: ChildProcess) async -> String? {
        for await line in child.output { return line }
        return nil
    }

    /// Prints its port, then a line for each HEADERS frame (RFC 9113 section 6.2), each HTTP/1.1 request, each leaving.
    private static let script = #"""
        import socket, ssl, struct, sys, threading, time
        way = sys.argv[1]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        context.set_alpn_protocols(["h2", "http/1.1"])
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)

        def frame(kind, stream, payload=b"", flags=0):
            return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

        def exactly(peer, count):
            data = b""
            while len(data) < count:
                piece = peer.recv(count - len(data))
                if not piece: raise EOFError
                data += piece
            return data

        def serve(plain):
            peer = context.wrap_socket(plain, server_side=True)
            if peer.selected_alpn_protocol() != "h2":
                if peer.recv(1): print("HTTP/1.1 request", flush=True)
                return peer.close()
            exactly(peer, 24)
            peer.sendall(frame(4, 0))
            count = 0
            while True:
                head = exactly(peer, 9)
                payload = exactly(peer, int.from_bytes(head[:3], "big"))
                kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
                if kind == 4 and not flags & 1: peer.sendall(frame(4, 0, flags=1))
                if kind != 1: continue
                print("HTTP/2 request", flush=True)
                count += 1
                def answer(flags=5): peer.sendall(frame(1, stream, b"\x88", flags=flags))
                # :status 200, and content-length without indexing (RFC 7541 section 6.2.2).
                def begin(length): peer.sendall(frame(1, stream, b"\x88\x0f\x0d\x02" + length, flags=4))
                def reset(code, which=stream): peer.sendall(frame(3, which, struct.pack(">I", code)))
                def go_away(last): peer.sendall(frame(7, 0, struct.pack(">II", last, 0)))
                if way == "goAwayAndOwe" and connections == 1:
                    if count == 1: go_away(stream)
                elif way in ("mute", "goAwayAndOwe") and (connections > 1 or count == 1): answer()
                elif way.endswith("Later") and count == 1: answer()
                elif way in ("cut", "cutLater"): return peer.close()
                elif way in ("refusedStream", "refusedLater"): reset(7)
                elif way == "refusedAndCut" and count == 2:
                    another.clear()
                    reset(7, 1)
                    # Who was refused connects anew; only then is the refusal known to be read.
                    another.wait(8)
                    return peer.close()
                elif way == "refusedTooLate":
                    answer(flags=4)
                    reset(7)
                elif way == "wantsHTTP1": reset(13)
                elif way == "internalError": reset(2)
                elif way == "cancel": reset(8)
                elif way == "goAway": go_away(0)
                elif way == "goAwayLater": go_away(1)
                elif way == "goAwayAndCut":
                    go_away(stream)
                    return peer.close()
                elif way == "goAwayAndAnswer":
                    go_away(stream)
                    begin(b"10")
                    peer.sendall(frame(0, stream, b"0123456789", flags=1))
                elif way == "goAwayIdle":
                    answer()
                    time.sleep(0.1)
                    go_away(stream)
                    print("left", flush=True)
                elif way in ("half", "halfAndReset"):
                    begin(b"20")
                    peer.sendall(frame(0, stream, b"0123456789"))
                    if way == "half": return peer.close()
                    reset(2)
                elif way == "answers": answer()
                elif way == "leaves":
                    answer()
                    time.sleep(0.2)
                    go_away(stream)
                    peer.settimeout(0.2)
                    try: peer.unwrap()
                    except OSError: pass
                    peer.close()
                    return print("left", flush=True)

        def guarded(plain):
            try: serve(plain)
            except (EOFError, OSError): pass

        another = threading.Event()
        connections = 0
        while True:
            plain = listener.accept()[0]
            connections += 1
            another.set()
            threading.Thread(target=guarded, args=(plain,), daemon=True).start()
        """#
}
