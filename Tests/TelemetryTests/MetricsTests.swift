import Telemetry
import Testing

@Suite struct MetricsTests {
    @Test func `the exposition holds every family in order and ends with EOF`() {
        let metrics = Metrics()
        let requests = metrics.counter("kulanz_requests", "Requests that left.", labels: ["app", "result"])
        requests.add(1, "games", "accepted")
        requests.add(2, "audiobooks", "dead")
        metrics.gauge("kulanz_inflight", "Requests under way.").set(3)
        #expect(
            metrics.openMetricsText == """
                # TYPE kulanz_inflight gauge
                # HELP kulanz_inflight Requests under way.
                kulanz_inflight 3.0
                # TYPE kulanz_requests counter
                # HELP kulanz_requests Requests that left.
                kulanz_requests_total{app="audiobooks",result="dead"} 2.0
                kulanz_requests_total{app="games",result="accepted"} 1.0
                # EOF

                """)
    }

    @Test func `buckets are cumulated and a bound belongs to its bucket`() {
        let metrics = Metrics()
        let seconds = metrics.histogram("kulanz_call_seconds", "Calls.", labels: ["app"], bounds: [0.1, 1])
        for value in [0.05, 0.1, 0.5, 7] { seconds.observe(value, "games") }
        seconds.observe(.milliseconds(250), "games")
        #expect(
            metrics.openMetricsText == """
                # TYPE kulanz_call_seconds histogram
                # HELP kulanz_call_seconds Calls.
                kulanz_call_seconds_bucket{app="games",le="0.1"} 2
                kulanz_call_seconds_bucket{app="games",le="1.0"} 4
                kulanz_call_seconds_bucket{app="games",le="+Inf"} 5
                kulanz_call_seconds_count{app="games"} 5
                kulanz_call_seconds_sum{app="games"} 7.9
                # EOF

                """)
        #expect(seconds.count("games") == 5)
    }

    @Test func `label values are escaped`() {
        let metrics = Metrics()
        metrics.gauge("g", "a \"b\"\nc", labels: ["l"]).set(1, "q\" b\\ n\n")
        #expect(metrics.openMetricsText.contains(#"g{l="q\" b\\ n\n"} 1.0"#))
    }

    @Test func `the same name is the same family`() {
        let metrics = Metrics()
        metrics.counter("c", "x").add()
        metrics.counter("c", "x").add(2)
        #expect(metrics.counter("c", "x").value() == 3)
    }

    @Test func `counting from many tasks loses nothing`() async {
        let counter = Metrics().counter("c", "x")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<500 { counter.add() } } }
        }
        #expect(counter.value() == 4000)
    }
}
