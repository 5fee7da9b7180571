package import EventLoop
import Foundation
import Lifecycle

/// A front before a simulator that speaks HTTPS. It speaks HTTP/2 and fails in HTTP/2's own words, as nghttpx can't be
/// asked to: under so many requests of one connection at once, some of which Apple has carried out.
///
/// What the simulator cuts becomes RST_STREAM with INTERNAL_ERROR. HEAD is answered by the front itself.
package struct FaultyFront: Sendable {
    /// What becomes of the first five requests that are under way on one connection. The three that came first have
    /// been carried out by then, the other two have not reached Apple, unless it is said otherwise.
    package enum Ending: String, Sendable, CaseIterable {
        /// The connection is reset.
        case reset
        /// close_notify and FIN.
        case close
        /// Half of an answer for each of the three, then the connection is reset.
        case half
        /// GOAWAY that names the third as the last, and in the same breath the connection's end.
        case goAway
        /// The same with INTERNAL_ERROR.
        case goAwayInError
        /// GOAWAY that names the third as the last, then the answers of the three: a server that is being replaced.
        case leave
        /// REFUSED_STREAM for the two, answers for the three.
        case refuse
        /// RST_STREAM for each: CANCEL for the three, INTERNAL_ERROR for the two.
        case abort
        /// Half an answer for the first, and never the rest; the other four are carried out and answered.
        case stall
        /// The bodies of the two are given no window; the three are answered.
        case window
        /// Not a byte is read or written any more, and the connection stays.
        case silence
        /// No five are waited for: REFUSED_STREAM for each of the first ten requests.
        case refuseTen
        /// No five are waited for: a quarter of all requests meets something like these at random, eight in all.
        case chaos
    }

    /// Python for the wire, and nghttp2, which libcurl needs anyway, for HPACK.
    package static let isAvailable = python != nil

    private static let python = ["/usr/bin/python3", "/opt/homebrew/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    package let port: UInt16
    package let baseURL: String
    private let child: ChildProcess
    private let lines = EventRecorder<String>()
    private let reader: Task<Void, Never>

    /// - Parameters:
    ///   - folder: with `server.key`, `server.pem` and `ca.pem`.
    ///   - seed: of the chaos.
    package init(
        _ ending: Ending, to backend: UInt16, certificates folder: String, seed: UInt64 = 0, on loop: EventLoop
    ) async throws {
        let command = Mortal(
            Self.python ?? "python3", ["-c", Self.script, ending.rawValue, String(backend), folder, String(seed)])
        child = try await ChildProcess.start(
            command.program, .init(arguments: command.arguments, output: .lines, errors: .inherited), on: loop)
        reader = lines.follow(child.output)
        port = UInt16(try await lines.first(1)[0]) ?? 0
        baseURL = "https://localhost:\(port)"
    }

    /// How many connections there were.
    package var connections: Int { lines.events.count { $0 == "connection" } }

    /// How often each fault has happened.
    package var faults: [String: Int] {
        lines.events.dropFirst().reduce(into: [:]) { if $1 != "connection" { $0[$1, default: 0] += 1 } }
    }

    package func stop() async {
        await child.stop()
        await reader.value
    }

    /// Prints its port, then a line for each connection and each fault. Frames: RFC 9113 section 6; HPACK: RFC 7541.
    private static let script = #"""
        import asyncio, ctypes, ctypes.util, random, socket, ssl, struct, sys
        ending, backend, folder, seed = sys.argv[1:]
        chance, failures = random.Random(int(seed)), 0
        DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW = 0, 1, 3, 4, 6, 7, 8
        INTERNAL, REFUSED, CANCEL = 2, 7, 8

        class Field(ctypes.Structure):
            _fields_ = [
                ("name", ctypes.c_void_p), ("value", ctypes.c_void_p), ("namelen", ctypes.c_size_t),
                ("valuelen", ctypes.c_size_t), ("flags", ctypes.c_uint8)]

        nghttp2 = ctypes.CDLL(ctypes.util.find_library("nghttp2") or "libnghttp2.so.14")
        inflate = nghttp2.nghttp2_hd_inflate_hd2
        inflate.restype = ctypes.c_ssize_t
        inflate.argtypes = [
            ctypes.c_void_p, ctypes.POINTER(Field), ctypes.POINTER(ctypes.c_int), ctypes.c_char_p, ctypes.c_size_t,
            ctypes.c_int]

        class Inflater:
            def __init__(self):
                self.pointer = ctypes.c_void_p()
                nghttp2.nghttp2_hd_inflate_new(ctypes.byref(self.pointer))

            def fields(self, block):
                fields = {}
                while True:
                    field, flags = Field(), ctypes.c_int()
                    count = inflate(self.pointer, field, flags, block, len(block), 1)
                    if count < 0: raise EOFError
                    block = block[count:]
                    if flags.value & 2:
                        name = ctypes.string_at(field.name, field.namelen)
                        fields[name.decode()] = ctypes.string_at(field.value, field.valuelen).decode()
                    if flags.value & 1:
                        nghttp2.nghttp2_hd_inflate_end_headers(self.pointer)
                        return fields

        def length(count):
            if count < 127: return bytes([count])
            count, octets = count - 127, [127]
            while count >= 128: count, octets = count >> 7, octets + [count & 127 | 128]
            return bytes(octets + [count])

        def literal(name, value):
            return b"\0" + length(len(name)) + name.encode() + length(len(value)) + value.encode()

        trust = ssl.create_default_context(cafile=folder + "/ca.pem")

        async def apple(request):
            "Status, fields and body; None if Apple cut the connection."
            reader, writer = await asyncio.open_connection("localhost", int(backend), ssl=trust)
            kept = {"authorization", "content-type", "accept", "user-agent"}
            head = [f"{request.fields[':method']} {request.fields[':path']} HTTP/1.1", "Host: localhost"]
            head += [f"{name}: {value}" for name, value in request.fields.items() if name in kept]
            head += [f"Content-Length: {len(request.body)}", "Connection: close", "", ""]
            writer.write("\r\n".join(head).encode() + request.body)
            try: answer = await reader.read()
            except OSError: answer = b""
            finally: writer.transport.abort()
            head, _, body = answer.partition(b"\r\n\r\n")
            if not head: return None
            first, *lines = head.decode().split("\r\n")
            fields = [line.split(": ", 1) for line in lines]
            dropped = {"connection", "transfer-encoding", "keep-alive"}
            return first.split()[1], [(n.lower(), v) for n, v in fields if n.lower() not in dropped], body

        class Request:
            def __init__(self, stream, fields):
                self.stream, self.fields, self.body = stream, fields, b""
                self.isWhole = asyncio.Event()

        class Connection:
            def __init__(self, reader, writer):
                self.reader, self.writer, self.inflater = reader, writer, Inflater()
                self.requests, self.waiting, self.pings, self.tasks = {}, [], asyncio.Queue(), set()
                self.isDeaf = False
                # The highest stream that Apple has seen, and the highest that it ever will.
                self.seen, self.limit = 0, 1 << 31

            def send(self, kind, stream, payload=b"", flags=0):
                head = struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream)
                if not self.isDeaf and not self.writer.is_closing(): self.writer.write(head + payload)

            def reset(self, request, code): self.send(RESET, request.stream, struct.pack(">I", code))

            def go_away(self, last, code=0):
                self.limit = last
                self.send(GOAWAY, 0, struct.pack(">II", last, code))

            async def carry_out(self, request):
                self.seen = max(self.seen, request.stream)
                return await apple(request)

            def answer(self, request, answer, isHalf=False):
                if answer is None: return self.reset(request, INTERNAL)
                status, fields, body = answer
                block = literal(":status", status) + b"".join(literal(*field) for field in fields)
                self.send(HEADERS, request.stream, block, flags=4)
                if isHalf: return self.send(DATA, request.stream, body[: len(body) // 2])
                while len(body) > 16384:
                    self.send(DATA, request.stream, body[:16384])
                    body = body[16384:]
                self.send(DATA, request.stream, body, flags=1)

            async def read_so_far(self):
                "Returns once the client has taken in all that was sent."
                self.send(PING, 0, b"whatever")
                await self.pings.get()

            def cut(self):
                if self.writer.is_closing(): return
                linger = struct.pack("ii", 1, 0)
                self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self.writer.transport.abort()

            def grant(self, request): self.send(WINDOW, request.stream, struct.pack(">I", 1 << 20))

            async def serve(self):
                await self.reader.readexactly(24)
                # A window of its own for each request's body, if that is what it is about.
                self.isNarrow = ending == "window"
                self.send(SETTINGS, 0, struct.pack(">HI", 4, 0) if self.isNarrow else b"")
                while True:
                    head = await self.reader.readexactly(9)
                    payload = await self.reader.readexactly(int.from_bytes(head[:3], "big"))
                    if not self.isDeaf: self.take(head[3], head[4], int.from_bytes(head[5:], "big"), payload)

            def take(self, kind, flags, stream, payload):
                if kind == SETTINGS and not flags & 1: self.send(SETTINGS, 0, flags=1)
                elif kind == PING and flags & 1: self.pings.put_nowait(None)
                elif kind == PING: self.send(PING, 0, payload, flags=1)
                elif kind == HEADERS:
                    # No padding from libcurl; five octets of priority, if they are there.
                    request = Request(stream, self.inflater.fields(payload[5:] if flags & 32 else payload))
                    self.requests[stream] = request
                    if flags & 1: request.isWhole.set()
                    self.start(self.see(request))
                elif kind == DATA and stream in self.requests:
                    request = self.requests[stream]
                    request.body += payload
                    self.send(WINDOW, 0, struct.pack(">I", max(len(payload), 1)))
                    if flags & 1: request.isWhole.set()

            def start(self, work):
                task = asyncio.ensure_future(work)
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)

            async def see(self, request):
                global ending
                if request.fields[":method"] == "HEAD": return self.answer(request, ("200", [], b""))
                if ending == "window":
                    self.waiting.append(request)
                    if len(self.waiting) == 5: return await self.end()
                    return
                if self.isNarrow: self.grant(request)
                await request.isWhole.wait()
                if request.stream > self.limit: return
                if ending == "chaos" and chance.random() < 0.25 and self.mayFail(): return await self.fail(request)
                if ending == "refuseTen" and self.mayFail(): return self.reset(request, REFUSED)
                if ending in ("chaos", "refuseTen", "over"):
                    return self.answer(request, await self.carry_out(request))
                self.waiting.append(request)
                if len(self.waiting) == 5: await self.end()

            async def end(self):
                global ending
                way, ending = ending, "over"
                print(way, flush=True)
                first, rest = self.waiting[:3], self.waiting[3:]
                if way == "window":
                    for request in first: self.grant(request)
                    for request in first: await request.isWhole.wait()
                answers = [(request, await self.carry_out(request)) for request in first]
                last = first[-1].stream
                if way in ("reset", "close", "half"):
                    if way == "half":
                        for request, answer in answers: self.answer(request, answer, isHalf=True)
                        await self.read_so_far()
                    return self.writer.close() if way == "close" else self.cut()
                if way in ("goAway", "goAwayInError"):
                    self.go_away(last, INTERNAL if way == "goAwayInError" else 0)
                    return self.writer.close()
                if way == "silence":
                    self.isDeaf = True
                    return
                if way == "abort":
                    for request in first: self.reset(request, CANCEL)
                    for request in rest: self.reset(request, INTERNAL)
                    return
                if way == "stall":
                    self.answer(*answers.pop(0), isHalf=True)
                    answers += [(request, await self.carry_out(request)) for request in rest]
                if way == "leave": self.go_away(last)
                if way == "refuse":
                    for request in rest: self.reset(request, REFUSED)
                for request, answer in answers: self.answer(request, answer)

            def mayFail(self):
                global failures
                failures += 1
                return failures <= (10 if ending == "refuseTen" else 8)

            async def fail(self, request):
                way = chance.choice(
                    ["refuse", "goAway", "leave", "abort", "abortAfter", "half", "reset", "resetAfter", "closeAfter",
                     "stall"])
                print(way, flush=True)
                if way == "goAway" and self.seen < request.stream: return self.go_away(self.seen)
                if way in ("goAway", "refuse"): return self.reset(request, REFUSED)
                if way == "abort": return self.reset(request, INTERNAL)
                if way == "reset": return self.cut()
                answer = await self.carry_out(request)
                if way == "abortAfter": self.reset(request, INTERNAL)
                elif way == "half":
                    self.answer(request, answer, isHalf=True)
                    self.reset(request, INTERNAL)
                elif way == "stall": self.answer(request, answer, isHalf=True)
                elif way == "resetAfter": self.cut()
                elif way == "closeAfter": self.writer.close()
                elif way == "leave":
                    self.go_away(max(self.requests))
                    self.answer(request, answer)

        async def connected(reader, writer):
            print("connection", flush=True)
            try: await Connection(reader, writer).serve()
            except (EOFError, OSError): pass
            finally:
                if not writer.is_closing(): writer.transport.abort()

        async def main():
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(folder + "/server.pem", folder + "/server.key")
            context.set_alpn_protocols(["h2"])
            server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
            print(server.sockets[0].getsockname()[1], flush=True)
            await asyncio.Event().wait()

        asyncio.run(main())
        """#
}
