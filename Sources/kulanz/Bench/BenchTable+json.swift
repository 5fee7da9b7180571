import Foundation
import Measurement
import Refunds

extension BenchTable {
    /// One object a case, each whole by itself: what, how, on what machine, and every value.
    func json(_ scale: BenchScale, _ versions: [String: String]) -> [JSON] {
        let versions = JSON.object(
            versions.sorted { $0.key < $1.key }.reduce(into: JSONObject()) { $0[$1.key] = .string($1.value) })
        return rows.map { row in
            var figures = JSONObject()
            for column in columns { figures[column.key] = row.figures[column.key].map(Self.json) }
            let ratios = ratios(of: row).reduce(into: JSONObject()) { $0[$1.column.key] = Self.json($1.ratio) }
            return .object(
                JSONObject([
                    "part": .string(part.rawValue), "case": .string(row.key), "figures": .object(figures),
                    "peer": ratios.isEmpty ? nil : row.peer.map { .string($0) },
                    "timesThePeer": ratios.isEmpty ? nil : .object(ratios),
                    "jobs": .integer(Int64(scale.jobs)),
                    "repetitions": .integer(Int64(row.figures.values.map(\.values.count).max() ?? 0)),
                    "method": .string(method), "build": .string(BenchMachine.build), "machine": BenchMachine.json,
                    "versions": versions,
                ]))
        }
    }

    private static func json(_ sample: Sample) -> JSON {
        .object(
            JSONObject([
                "median": json(sample.median), "least": json(sample.least), "most": json(sample.most),
                "values": .array(sample.values.map(json)),
            ]))
    }

    /// Swift prints a finite number as JSON would have it.
    private static func json(_ value: Double) -> JSON {
        (try? JSON(reading: Array(String((value * 1e6).rounded() / 1e6).utf8))) ?? .null
    }
}
