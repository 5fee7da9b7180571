import Measurement
import Testing

@Suite struct LeastTimeTests {
    @Test(
        arguments: [
            (0, 5, [], 0), (1, 5, [], 0), (5, 5, [], 0), (6, 5, [], 1), (10, 5, [], 1), (11, 5, [], 2),
            (150, 5, [], 29), (3, 1, [], 2),
            // Two of five left 0.4 s and 0.8 s ago: three more at once, then one for each that leaves the window.
            (3, 5, [-0.8, -0.4], 0), (4, 5, [-0.8, -0.4], 0.2), (5, 5, [-0.8, -0.4], 0.6), (6, 5, [-0.8, -0.4], 1),
            // What is out of the window counts no more.
            (5, 5, [-3, -2, -1], 0),
        ] as [(Int, Int, [Double], Double)])
    func `each leaves as soon as the last window has room`(count: Int, limit: Int, before: [Double], least: Double) {
        let time = LeastTime.ofDepartures(count, limit: limit, window: 1, after: before)
        #expect(abs(time - least) < 1e-9)
    }
}
