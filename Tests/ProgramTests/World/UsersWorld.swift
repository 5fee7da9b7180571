import EventLoop
import Foundation
import Redis
import Telemetry
import TestSupport

/// A fleet whose Redis knows the users of config/users.acl and no others, speaks TLS, and has its queue in database 3.
struct UsersWorld: Sendable {
    /// As `admin` sees it.
    let world: ProgramWorld
    let door: TLSDoor

    /// As a user sees it: what this world starts logs in as that one.
    func by(_ user: String, host: String = "localhost", caFile: String? = nil) -> ProgramWorld {
        var world = world
        world.redisKeys = """
            url: "rediss://\(host):\(door.port)/3", caFile: "\(caFile ?? door.authority.caFile)", username: "\(user)",
            password: "file:\(door.folder["\(user).password"])"
            """
        return world
    }

    func client(_ user: String) throws -> RedisClient { try Self.client(user, door, world.loop) }

    static func client(_ user: String, _ door: TLSDoor, _ loop: EventLoop) throws -> RedisClient {
        let password = try String(contentsOfFile: door.folder["\(user).password"], encoding: .utf8)
        return RedisClient(
            loop: loop,
            endpoint: RedisEndpoint(
                .tcp(host: "localhost", port: door.port), username: user, password: Secret(password), database: 3,
                tls: RedisTLS(caFile: door.authority.caFile)),
            options: .init(connectTimeout: .seconds(30), commandTimeout: .seconds(60)))
    }

    /// What Redis has refused to whom, such as `worker config|get`.
    func refusals() async throws -> Set<String> {
        let entries = try await world.client.send(["ACL", "LOG", "1000"]).array ?? []
        return Set(
            entries.compactMap { entry in
                guard let fields = entry.fields else { return nil }
                return "\(fields["username"]?.string ?? "?") \(fields["object"]?.string ?? "?")"
            })
    }
}

/// `support` is a producer for audiobooks.
func withUsers(
    _ change: (inout WorldShape) -> Void = { _ in }, _ body: (UsersWorld) async throws -> Void
) async throws {
    try await withTLSDoor { door in
        let file = door.folder["users.acl"]
        try "user default on nopass ~* &* +@all\n".write(toFile: file, atomically: true, encoding: .utf8)
        try await withProgram { shape in
            shape.redis = door.configuration + ["aclfile \(file)"]
            change(&shape)
        } _: { world in
            let made = try await ShortCommand.run(
                Scripts.path("redis-users"), [door.folder.path, "--producer", "support=audiobooks"])
            guard made.status == 0 else { throw UsersNotMade(errors: made.errors) }
            _ = try await world.client.send(["ACL", "LOAD"])
            let admin = try UsersWorld.client("admin", door, world.loop)
            var seen = ProgramWorld(
                shape: world.shape, loop: world.loop, folder: world.folder, redis: world.redis, client: admin,
                simulator: world.simulator, port: world.port, crew: world.crew)
            seen.redisKeys = nil
            let outcome = await Result { try await body(UsersWorld(world: seen, door: door)) }
            await admin.close()
            try outcome.get()
        }
    }
}

enum Scripts {
    /// The path of one of this repository's scripts.
    static func path(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../scripts/\(name)").standardized
            .path
    }
}

private struct UsersNotMade: Error { let errors: String }

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
