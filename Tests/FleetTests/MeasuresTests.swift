import Foundation
import Telemetry
import Testing

@testable import Fleet

@Suite struct MeasuresTests {
    @Test func `each measure has its row in the page for operators`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/operations.md")
        let text = try String(contentsOf: page.standardized, encoding: .utf8)
        let metrics = Metrics()
        _ = Measures(metrics)
        let names = metrics.openMetricsText.matches(of: /(?m)^# TYPE (\w+)\s/).map { String($0.1) }
        #expect(names.count == 5)
        for name in names { #expect(text.contains("| `\(name)` |"), "\(name)") }
    }
}
