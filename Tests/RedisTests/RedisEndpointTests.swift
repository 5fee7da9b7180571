import Redis
import Telemetry
import TestSupport
import Testing

@Suite struct RedisEndpointTests {
    @Test(arguments: [
        ("redis://localhost", RedisEndpoint.tcp("localhost")),
        ("redis://localhost:6380/3", RedisEndpoint(.tcp(host: "localhost", port: 6380), database: 3)),
        ("redis://[::1]:7000", .tcp("::1", 7000)),
        ("redis://[::1]", .tcp("::1")),
        ("REDIS://h/", .tcp("h")),
        ("rediss://h", RedisEndpoint(.tcp(host: "h", port: 6379), tls: RedisTLS())),
        (
            "rediss://anna:s3cret@[::1]:6380/3",
            RedisEndpoint(
                .tcp(host: "::1", port: 6380), username: "anna", password: Secret("s3cret"), database: 3,
                tls: RedisTLS())
        ),
        ("redis://:s3cret@h", RedisEndpoint(.tcp(host: "h", port: 6379), password: Secret("s3cret"))),
        (
            "redis://anna:p%40ss%3A%2F@h:1/2",
            RedisEndpoint(.tcp(host: "h", port: 1), username: "anna", password: Secret("p@ss:/"), database: 2)
        ),
        ("redis://anna:a:b@h", RedisEndpoint(.tcp(host: "h", port: 6379), username: "anna", password: Secret("a:b"))),
        ("redis+unix:///run/redis.sock", .unix("/run/redis.sock")),
        ("redis+unix:///run/redis.sock?db=4", RedisEndpoint(.unix(path: "/run/redis.sock"), database: 4)),
        ("redis+unix://:s3cret@/r.sock", RedisEndpoint(.unix(path: "/r.sock"), password: Secret("s3cret"))),
        ("unix:/run/redis.sock", .unix("/run/redis.sock")),
        ("unix:///run/redis.sock", .unix("/run/redis.sock")),
    ])
    func `a URL names an endpoint`(url: String, endpoint: RedisEndpoint) throws {
        #expect(try RedisEndpoint(url: url) == endpoint)
    }

    @Test(arguments: [
        ("", RedisURLError.unreadable), ("localhost:6379", .unreadable), ("redis://", .badHost),
        ("redis://h:0", .badPort), ("redis://h:99999", .badPort), ("redis://h:x", .badPort),
        ("redis://h/x", .badDatabase), ("redis://h/-1", .badDatabase), ("redis://u:%zz@h", .badLogin),
        ("http://h", .unknownScheme("http")), ("redis+unix://relative", .missingPath), ("redis://h?x=1", .unreadable),
        ("redis+unix:///a?db=x", .badDatabase), ("redis://[::1", .badHost),
    ])
    func `a wrong URL is refused by name`(url: String, error: RedisURLError) {
        #expect(throws: error) { try RedisEndpoint(url: url) }
    }

    @Test(arguments: [
        "redis+sentinel://h", "redis+cluster://h", "redis://a:1,b:2", "rediss+sentinel://h",
    ])
    func `what we can't do yet is refused with a sentence`(url: String) {
        #expect {
            try RedisEndpoint(url: url)
        } throws: { error in
            "\(error)".contains("comes in a later part")
        }
    }

    @Test func `printing an endpoint in any way shows no password`() throws {
        let endpoint = try RedisEndpoint(url: "redis://anna:s3cret@h:1/2")
        var dumped = ""
        dump(endpoint, to: &dumped)
        for text in ["\(endpoint)", String(reflecting: endpoint), dumped] { #expect(!text.contains("s3cret")) }
        #expect("\(endpoint)" == "redis://anna@h:1/2")
        #expect("\(try RedisEndpoint(url: "rediss://anna:s3cret@h:1/2"))" == "rediss://anna@h:1/2")
    }
}
