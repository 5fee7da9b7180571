import AppStoreSimulator
import Queue
import Refunds

extension DemoReport {
    /// For programs; names are those of the text.
    var json: JSON {
        .object(
            JSONObject([
                "verdict": .string(verdict.word), "reasons": .array(verdict.reasons.map { .string($0) }),
                "seconds": .number(tenths(seconds)), "requests": requests, "jobs": jobs, "deadLetters": deadLetters,
                "enqueue": .object(
                    JSONObject([
                        "enqueued": count(campaign.enqueued), "duplicates": count(campaign.duplicates),
                        "refused": count(campaign.refused),
                    ])), "paused": pausedJSON, "killed": killed,
            ]))
    }

    private var requests: JSON {
        .object(
            JSONObject([
                "sent": count(audit.arrivals), "accepted": count(accepted), "taken": count(audit.processed),
                "repeats": count(audit.repeats), "repeatsWithOtherBytes": count(audit.repeatsWithOtherBytes),
                "refundedTwice": count(twice), "worstStallNs": .integer(audit.worstStallNs),
                "faults": object(audit.faults),
                "mostInASecond": .object(
                    JSONObject(
                        unsorted: audit.rates.map { ($0.bundleId, count($0.mostInASecond)) })),
            ]))
    }

    private var jobs: JSON {
        .object(
            JSONObject([
                "planned": count(day.jobs.count), "lost": .array(census.lost.map { .string($0) }),
                "states": .object(JSONObject(unsorted: census.counts(in: day).map { ($0.word, count($0.count)) })),
                "neverTaken": .array(neverTaken.map { .string($0) }),
                "takenUnknown": .array(takenUnknown.map { .string($0) }),
            ]))
    }

    private var deadLetters: JSON {
        .array(
            reasons.map { reason in
                .object(
                    JSONObject([
                        "reason": .string(reason.reason), "count": count(reason.count),
                        "names": .object(JSONObject(unsorted: reason.names.map { ($0.name, count($0.count)) })),
                    ]))
            })
    }

    private var pausedJSON: JSON {
        guard let paused, let pause = paused.paused else { return .null }
        return .object(
            JSONObject([
                "app": .string(paused.app), "reason": .string(pause.reason), "why": .string(pause.why),
                "waiting": count(waitingOfPaused), "burnt": count(burnt), "requests": count(requestsOfLapsed),
            ]))
    }

    private var killed: JSON {
        guard let kill else { return .null }
        return .object(
            JSONObject([
                "worker": count(kill.worker), "jobs": .array(kill.lost.map { .string($0.id) }),
                "ownedAgainMs": milliseconds(kill.ownedAgainAfter), "sentAgainMs": milliseconds(kill.sentAgainAfter),
            ]))
    }

    private func milliseconds(_ time: Duration?) -> JSON {
        time.map { .integer(Int64($0 / .milliseconds(1))) } ?? .null
    }

    private func count(_ number: Int) -> JSON { .integer(Int64(number)) }

    private func tenths(_ duration: Duration) -> JSONNumber { JSONNumber(Int64((duration / .seconds(1)).rounded())) }

    private func object(_ counts: [String: Int]) -> JSON {
        .object(JSONObject(unsorted: counts.sorted { $0.key < $1.key }.map { ($0.key, count($0.value)) }))
    }
}

extension DemoReport.Verdict {
    var word: String {
        switch self {
        case .asPromised: "asPromised"
        case .inconclusive: "inconclusive"
        case .broken: "broken"
        }
    }

    var reasons: [String] {
        switch self {
        case .asPromised: []
        case .inconclusive(let reasons), .broken(let reasons): reasons
        }
    }
}

extension JSONObject {
    fileprivate init(unsorted members: [(String, JSON)]) {
        self.init()
        for (key, value) in members { self[key] = value }
    }
}
