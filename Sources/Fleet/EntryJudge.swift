import Foundation
package import Queue
package import Refunds

/// Judges what a producer added by itself: the same checks as in every other way in.
package struct EntryJudge: Sendable {
    private let rules: AppRules

    package init(_ rules: AppRules) { self.rules = rules }

    package func judge(_ entry: RawEntry) -> Judgement {
        if let id = entry.reference { return .reference(id) }
        guard let text = entry.job else {
            return .letter(
                reason: DeadReason.invalid.rawValue, code: "", name: "noJob",
                hint: "The entry has no field `job`. Add it again as: XADD <lane> * job '<JSON>'.",
                text: Self.raw(Array(entry.fields.joined(separator: [UInt8(ascii: "\n")]))))
        }
        switch Job.validate(text, app: rules, from: .lane(entry.priority)) {
        case .success(let job): return .job(job, text: text)
        case .failure(let violations):
            let shown = violations.all.prefix(20).map(\.description).joined(separator: "\n")
            return .letter(
                reason: DeadReason.invalid.rawValue, code: "", name: violations.codes.first?.rawValue ?? "",
                hint: shown,
                text: Self.shown(text))
        }
    }

    /// The producer's own text where it is a JSON object, its bytes in base64 where it isn't.
    private static func shown(_ text: [UInt8]) -> String {
        guard let json = try? JSON(reading: text), json.object != nil else { return raw(text) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func raw(_ bytes: [UInt8]) -> String {
        JSON.object(JSONObject(["raw": .string(Data(bytes).base64EncodedString())])).text
    }
}
