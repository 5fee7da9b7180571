import AppStoreSimulator
import Crypto
import Foundation
import Lifecycle
import Queue
import Redis
import Refunds
import TestSupport
import Testing

@Suite struct `A producer in another language` {
    static let python = "/usr/bin/python3"
    private static func hasRedisPy() async throws -> Bool {
        try await ShortCommand.run(python, ["-c", "import redis"]).status == 0
    }

    /// Nothing of ours takes part in making these bytes.
    static let script = """
        import json, redis, sys
        client = redis.Redis(unix_socket_path=sys.argv[1])
        for number in range(3):
            job = {
                "id": f"py-{number}", "operation": "refund", "transactionId": str(2000000123456789 + number),
                "request": {
                    "items": [{"SKU": "audiobook.4711", "refundReason": "FULFILLMENT_ISSUE", "refundType": "CUSTOM",
                               "refundAmount": 9007199254740, "revoke": True}],
                    "refundRiskingPreference": False, "currency": "EUR", "storefront": "DEU"},
                "amountIncludesTax": True, "requestedBy": "agent-17",
                "note": "chapter 9 was silent \\U0001F4DA\\U0001F910 – ärgerlich"}
            client.xadd("kulanz:{audiobooks}:jobs:normal", {"job": json.dumps(job, ensure_ascii=number == 1)})
        """

    @Test(.enabled("Debian's python3-redis is not installed; scripts/setup installs it") { try await hasRedisPy() })
    func `has its jobs sent byte for byte as Apple documents them`() async throws {
        try await withProgram { world in
            let worker = try await world.workers(1)[0]
            let run = try await output(of: Self.python, ["-c", Self.script, world.folder["redis.sock"]])
            #expect(run.exit == .code(0), "\(run.errors)")
            try await eventually("all are accepted") {
                for number in 0..<3 where try await world.queue().state(of: "py-\(number)") != .accepted {
                    return false
                }
                return true
            }
            await worker.stop()
            let entries = await world.simulator.entries
            for number in 0..<3 {
                let record = try #require(try await world.queue().show("py-\(number)"))
                let transaction = "\(2_000_000_123_456_789 + number)"
                let body = """
                    {"requestInfo":{"requestReferenceId":"\(record.referenceId.text)"},"items":[{"SKU":"audiobook.4711",\
                    "refundReason":"FULFILLMENT_ISSUE","refundType":"CUSTOM","refundAmount":9007199254740,\
                    "revoke":true}],"refundRiskingPreference":false,"currency":"EUR","storefront":"DEU"}
                    """
                let entry = try #require(entries.first { $0.transactionId == transaction })
                #expect(entry.bodyHash == Digest.sha256(Array(body.utf8)).hex)
                #expect(record.transactionId == transaction)
                #expect(record.job?.note == "chapter 9 was silent 📚🤐 – ärgerlich")
            }
            #expect(entries.count == 3)
        }
    }
}
