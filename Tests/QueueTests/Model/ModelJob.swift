import Refunds

/// One job as the contract would have it.
struct ModelJob {
    let id: String
    let transaction: String
    let line: String
    let lane: String
    let operation: Refunds.Operation
    var claims: Set<String>
    let repeats: Bool
    var items: Int
    /// Of what the producer sent.
    let digest: String
    /// Of what is sent now, which a person may have mended.
    var content: String

    var state = "queued" {
        didSet {
            guard state == "dead" else { return }
            deaths += 1
            pause = nil
        }
    }
    var deaths = 0
    /// The pause whose number its letter bears.
    var pause: Int?
    var ref: String
    var round = 0
    /// Sends of `ref` that ended without an answer.
    var unclear = 0
    var sends = 0
    var attempts = 0
    var started = 0
    var lost = 0
    var fence = ""
    var worker = ""
    var departed: Int64 = 0
    var leasedUntil: Int64 = 0
    /// When it was leased or its lease renewed, in true time.
    var held: Int64 = 0
    var finding: Finding?
    /// The body of each id, as it first went out.
    var bodies: [String: [UInt8]] = [:]
    /// What the books should hold about it.
    var books: [String: Int] = [:]

    enum Finding { case refunded, notRefunded }

    /// What must be free for it to be sent.
    var lines: Set<String> { [line, transaction] }
    var isOpen: Bool { unclear > 0 }
    /// Whether it bars others of its purchase.
    var ownsLines: Bool { state == "sending" || isOpen }

    /// Whether its claims stand in another job's way.
    var claimsItems: Bool {
        switch state {
        case "dead": isOpen
        case "done": false
        case "discarded": finding == .refunded
        default: true
        }
    }

    func conflicts(with claims: Set<String>) -> Bool {
        if !self.claims.isDisjoint(with: claims) { return true }
        let wholes = self.claims.contains("*") && claims != ["cancel"]
        return wholes || claims.contains("*") && self.claims != ["cancel"]
    }

    mutating func book(_ kind: String, _ lines: Int = 1) { books[kind, default: 0] += lines }
}
