import Lifecycle
import TestSupport

/// An HTTP/2 server that reads requests and treats each in a way that HTTP/2 allows and libcurl stumbles over.
struct RefusingServer {
    enum Way: String {
        /// RST_STREAM with REFUSED_STREAM.
        case refusedStream
        /// RST_STREAM with HTTP_1_1_REQUIRED.
        case wantsHTTP1
        /// RST_STREAM with INTERNAL_ERROR.
        case internalError
        /// GOAWAY that names no stream as processed.
        case goAway
        case cut
        /// Answers with an empty 200 and says nothing more.
        case answers
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
            while True:
                head = exactly(peer, 9)
                payload = exactly(peer, int.from_bytes(head[:3], "big"))
                kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
                if kind == 4 and not flags & 1: peer.sendall(frame(4, 0, flags=1))
                if kind != 1: continue
                print("HTTP/2 request", flush=True)
                if way == "cut": return peer.close()
                if way in ("answers", "leaves"): peer.sendall(frame(1, stream, b"\x88", flags=5))
                if way == "leaves":
                    time.sleep(0.2)
                    peer.sendall(frame(7, 0, struct.pack(">II", stream, 0)))
                    peer.settimeout(0.2)
                    try: peer.unwrap()
                    except OSError: pass
                    peer.close()
                    return print("left", flush=True)
                if way == "goAway": peer.sendall(frame(7, 0, struct.pack(">II", 0, 0)))
                code = {"refusedStream": 7, "wantsHTTP1": 13, "internalError": 2}.get(way)
                if code: peer.sendall(frame(3, stream, struct.pack(">I", code)))

        def guarded(plain):
            try: serve(plain)
            except (EOFError, OSError): pass

        while True:
            threading.Thread(target=guarded, args=(listener.accept()[0],), daemon=True).start()
        """#
}
