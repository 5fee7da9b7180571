extension JournalAudit {
    /// For people.
    package var text: String {
        var lines = ["\(arrivals) arrivals, \(processed) processed"]
        for (ending, count) in endings.sorted(by: { $0.key < $1.key }) { lines.append("  \(count) x \(ending)") }
        if !faults.isEmpty { lines.append("faults: " + Self.list(faults)) }
        if !refusedTokens.isEmpty { lines.append("tokens refused: " + Self.list(refusedTokens)) }
        if arrivalsWithUnknownFields > 0 {
            lines.append("\(arrivalsWithUnknownFields) arrivals with fields that Apple doesn't document")
        }
        lines.append("")
        lines += rates.flatMap(\.lines)
        lines.append("worst stall of the simulator: \(Self.ms(worstStallNs))")
        lines.append("")
        lines.append("repeats: \(repeats), with other bytes than the first time: \(repeatsWithOtherBytes)")
        lines.append("transactions with more than one id: \(purchasesWithSeveralIds.count)")
        for purchase in purchasesWithSeveralIds.prefix(20) {
            lines.append(
                "  \(purchase.bundleId) \(purchase.transactionId): " + purchase.referenceIds.joined(separator: " "))
        }
        lines.append("")
        let twice = refundsTakenTwice
        lines.append("refunds taken: \(refunds.count), more than once: \(twice.count)")
        lines += twice.prefix(20).flatMap(\.lines)
        if unreadableLines > 0 { lines.append("lines that can't be read: \(unreadableLines)") }
        return lines.joined(separator: "\n") + "\n"
    }

    package var json: JSONValue {
        .members([
            "arrivals": .int(arrivals),
            "processed": .int(processed),
            "verdict": .string(verdict.rawValue),
            "endings": Self.object(endings),
            "faults": Self.object(faults),
            "refusedTokens": Self.object(refusedTokens),
            "arrivalsWithUnknownFields": .int(arrivalsWithUnknownFields),
            "rates": .array(rates.map(\.json)),
            "worstStallNs": .int(worstStallNs),
            "repeats": .int(repeats),
            "repeatsWithOtherBytes": .int(repeatsWithOtherBytes),
            "purchasesWithSeveralIds": .array(
                purchasesWithSeveralIds.map {
                    .members([
                        "bundleId": .string($0.bundleId), "transactionId": .string($0.transactionId),
                        "requestReferenceIds": .array($0.referenceIds.map { .string($0) }),
                    ])
                }),
            "refundsTaken": .int(refunds.count),
            "refundsTakenTwice": .array(refundsTakenTwice.map(\.json)),
            "unreadableLines": .int(unreadableLines),
        ])
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) x \($0.key)" }.joined(separator: ", ")
    }

    private static func object(_ counts: [String: Int]) -> JSONValue {
        .object(counts.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .int($0.value)) })
    }

    fileprivate static func ms(_ nanoseconds: Int64) -> String {
        let tenths = (nanoseconds + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}

extension JournalAudit.Rate {
    fileprivate var lines: [String] {
        let window = windowNs == 1_000_000_000 ? "second" : JournalAudit.ms(windowNs)
        var lines = [
            "\(bundleId) (\(environment.rawValue)): \(arrivals) arrivals, at most \(mostInASecond) in any sliding second; "
                + "allowed \(allowed) in any sliding \(window): \(verdict.rawValue)"
        ]
        if judgement.breaches > 0 { lines.append("  windows with too many: \(judgement.breaches)") }
        if judgement.inconclusive > 0 {
            lines.append("  windows with too many by their stamps, which a stall made late: \(judgement.inconclusive)")
        }
        if judgement.unproven > 0 {
            lines.append("  windows in which a stall may hide one too many: \(judgement.unproven)")
        }
        return lines
    }

    fileprivate var json: JSONValue {
        .members([
            "bundleId": .string(bundleId), "environment": .string(environment.rawValue), "arrivals": .int(arrivals),
            "mostInASecond": .int(mostInASecond), "mostFromNs": .int(mostFromNs), "allowed": .int(allowed),
            "windowNs": .int(windowNs), "verdict": .string(verdict.rawValue), "breaches": .int(judgement.breaches),
            "inconclusive": .int(judgement.inconclusive), "unproven": .int(judgement.unproven),
        ])
    }
}

extension JournalAudit.Refund {
    fileprivate var lines: [String] {
        ["  \(bundleId) \(transactionId) \(sku): \(takings.count) times under \(referenceIds.count) id(s)"]
            + takings.map { taking in
                let amount = taking.amount.map { " \($0)" } ?? ""
                let fault = taking.fault.map { ", fault \($0)" } ?? ""
                return "    arrival \(taking.number): \(taking.referenceId) \(taking.type)\(amount), "
                    + "body \(taking.bodyHash.prefix(12))\(fault)"
            }
    }

    fileprivate var json: JSONValue {
        .members([
            "bundleId": .string(bundleId), "transactionId": .string(transactionId), "SKU": .string(sku),
            "underOneId": .bool(isTwiceUnderOneId), "underSeveralIds": .bool(isTwiceUnderSeveralIds),
            "takings": .array(
                takings.map {
                    .members([
                        "n": .int($0.number), "requestReferenceId": .string($0.referenceId),
                        "bodySHA256": .string($0.bodyHash), "refundType": .string($0.type),
                        "refundAmount": .optional($0.amount), "fault": .optional($0.fault),
                    ])
                }),
        ])
    }
}
