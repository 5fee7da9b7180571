import Measurement
import Testing

@Suite struct RedisInfoTests {
    private static let text = """
        # Server\r
        redis_version:7.0.15\r
        executable:/usr/bin/redis-server --port:0\r
        \r
        # CPU\r
        used_cpu_sys:1.250000\r
        used_cpu_user:2.500000\r
        used_cpu_sys_main_thread:1.2\r
        # Commandstats\r
        cmdstat_evalsha:calls=12,usec=340,usec_per_call=28.33,rejected_calls=0,failed_calls=1\r
        cmdstat_config|get:calls=2,usec=9,usec_per_call=4.50,rejected_calls=0,failed_calls=0\r
        """

    @Test(arguments: [
        ("redis_version", "7.0.15"), ("executable", "/usr/bin/redis-server --port:0"), ("used_cpu_sys", "1.250000"),
        ("# Server", nil), ("uptime", nil),
    ])
    func `values stand behind the first colon of their line`(name: String, value: String?) {
        #expect(RedisInfo(Self.text)[name] == value)
    }

    @Test func `the server's processor time is user and system together`() {
        #expect(RedisInfo(Self.text).cpuSeconds == 3.75)
        #expect(RedisInfo("").cpuSeconds == 0)
    }

    @Test func `calls are counted by command`() {
        #expect(RedisInfo(Self.text).calls == ["evalsha": 12, "config|get": 2])
    }
}
