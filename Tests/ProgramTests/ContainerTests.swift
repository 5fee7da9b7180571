import Foundation
import Testing

/// No engine runs here, so what the files of docker/ say is compared with what they say it about.
@Suite struct `The files for containers` {
    static func text(_ file: String) throws -> String {
        try String(contentsOfFile: `The scripts`.checkout + "/" + file, encoding: .utf8)
    }

    /// The Dockerfile's instructions, continued lines joined.
    static func instructions() throws -> [String] {
        try text("docker/Dockerfile").replacing("\\\n", with: " ").split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test func `copy only what is there`() throws {
        let copies = try Self.instructions().filter { $0.hasPrefix("COPY ") && !$0.contains("--from=") }
        #expect(copies.count >= 3)
        for copy in copies {
            for source in copy.split(separator: " ").dropFirst().dropLast() {
                let path = `The scripts`.checkout + "/" + source
                #expect(FileManager.default.fileExists(atPath: path), "\(copy)")
            }
        }
    }

    @Test func `install each C library twice: to compile with, and to run with`() throws {
        let stages = try Self.instructions().split { $0.hasPrefix("FROM ") }.map { $0.joined(separator: "\n") }
        try #require(stages.count == 2)
        let setup = try Self.text("scripts/setup")
        let libraries = try Self.text("Package.swift").matches(of: /\.apt\(\["([^"]+)"\]\)/).map { String($0.1) }
        #expect(libraries.count == 5)
        for library in libraries {
            #expect(stages[0].contains(" \(library)"), "\(library)")
            #expect(setup.contains("need \(library) "), "\(library)")
        }
        for library in ["libuv1", "libhiredis0.14", "libcurl4", "libssl3", "libmicrohttpd12", "ca-certificates"] {
            #expect(stages[1].contains(" \(library) ") || stages[1].contains(" \(library)\n"), "\(library)")
        }
        #expect(!stages[1].contains("-dev"))
    }

    @Test func `run without rights, on a system that is not written to`() throws {
        let last = try Self.instructions().suffix(4)
        #expect(last.contains("USER 10001:10001"), "by number: a supervisor can see that it isn't root")
        #expect(last.contains(#"ENTRYPOINT ["/usr/local/bin/kulanz"]"#), "no shell that swallows SIGTERM")
        let compose = try Self.text("docker/compose.yaml")
        for line in ["read_only: true", "init: true", "cap_drop: [ALL]", "no-new-privileges:true"] {
            #expect(compose.contains(line), "\(line)")
        }
        #expect(!compose.contains("ports:"), "nothing is published by itself")
    }
}
