/// One arrival in the journal: what came, when, and what became of it.
package struct JournalEntry: Sendable, Hashable {
    package struct Item: Sendable, Hashable {
        package let sku: String
        package let type: String?
        /// Milliunits.
        package let amount: Int64?
        package let reason: String?

        package init(sku: String, type: String? = nil, amount: Int64? = nil, reason: String? = nil) {
            self.sku = sku
            self.type = type
            self.amount = amount
            self.reason = reason
        }
    }

    package enum Ending: String, Sendable, Hashable {
        case answered
        case cut
        case hung
    }

    /// Counted from 1 since the simulator started.
    package var number: Int
    package var nanoseconds: Int64
    package var wallMs: Int64
    package var connection: UInt64
    package var method: String
    package var path: String
    package var endpoint: Endpoint?
    /// As the token claims it, also when the token was refused.
    package var bundleId: String?
    package var environment: AppEnvironment?
    package var transactionId: String?
    package var referenceId: String?
    /// SHA-256 in lower-case hexadecimal; nil when the body was never read.
    package var bodyHash: String?
    package var items: [Item] = []
    /// Members of the body that Apple doesn't document.
    package var unknownFields: [String] = []
    /// `ok`, or why the token was refused.
    package var token: String?
    package var ending: Ending
    /// Of the answer that was given; nil when none was.
    package var status: Int?
    package var code: Int?
    package var fault: String?
    package var rule: String?
    package var latencyMs: Int64 = 0
    /// What would have been answered, when a fault took the place of it.
    package var lostStatus: Int?
    package var lostCode: Int?
    /// Whether this arrival changed anything: took a refund, ended or cancelled a subscription.
    package var isProcessed = false
    /// Whether the id had been processed before.
    package var isRepeat = false
    /// Whether a repeat had the bytes of the first one.
    package var hasSameBytes: Bool?

    package init(number: Int, of arrival: Arrival) {
        self.number = number
        nanoseconds = arrival.nanoseconds
        wallMs = arrival.wallMs
        connection = arrival.connection
        method = arrival.method
        path = arrival.path
        ending = .answered
    }
}

// MARK: As a line

extension JournalEntry {
    /// The line's members in their documented order; what doesn't apply is left out.
    var json: JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue) {
            if value != .null { members.append(.init(name: name, value: value)) }
        }
        add("event", .string("arrival"))
        add("n", .int(number))
        add("ns", .int(nanoseconds))
        add("ms", .int(wallMs))
        add("connection", .int(connection))
        add("method", .string(method))
        add("path", .string(path))
        add("endpoint", .optional(endpoint?.rawValue))
        add("bundleId", .optional(bundleId))
        add("environment", .optional(environment?.rawValue))
        add("transactionId", .optional(transactionId))
        add("requestReferenceId", .optional(referenceId))
        add("bodySHA256", .optional(bodyHash))
        add("items", items.isEmpty ? .null : .array(items.map(\.json)))
        add("unknownFields", unknownFields.isEmpty ? .null : .array(unknownFields.map { .string($0) }))
        add("token", .optional(token))
        add("ended", .string(ending.rawValue))
        add("status", .optional(status))
        add("code", .optional(code))
        add("fault", .optional(fault))
        add("rule", .optional(rule))
        add("latencyMs", latencyMs == 0 ? .null : .int(latencyMs))
        add("lostStatus", .optional(lostStatus))
        add("lostCode", .optional(lostCode))
        add("processed", .bool(isProcessed))
        add("repeat", .bool(isRepeat))
        add("sameBytes", .optional(hasSameBytes))
        return .object(members)
    }

    /// Nil when the value isn't an arrival.
    init?(_ json: JSONValue) {
        guard json["event"]?.string == "arrival", let number = json["n"]?.integer,
            let nanoseconds = json["ns"]?.integer, let wallMs = json["ms"]?.integer,
            let ending = json["ended"]?.string.flatMap(Ending.init)
        else { return nil }
        let arrival = Arrival(
            nanoseconds: nanoseconds, wallMs: wallMs, connection: UInt64(json["connection"]?.integer ?? 0),
            method: json["method"]?.string ?? "", path: json["path"]?.string ?? "", authorization: nil, body: [])
        self.init(number: Int(number), of: arrival)
        self.ending = ending
        endpoint = json["endpoint"]?.string.flatMap(Endpoint.init)
        bundleId = json["bundleId"]?.string
        environment = json["environment"]?.string.flatMap(AppEnvironment.init)
        transactionId = json["transactionId"]?.string
        referenceId = json["requestReferenceId"]?.string
        bodyHash = json["bodySHA256"]?.string
        items = json["items"]?.array?.compactMap(Item.init) ?? []
        unknownFields = json["unknownFields"]?.array?.compactMap(\.string) ?? []
        token = json["token"]?.string
        status = json["status"]?.integer.map(Int.init)
        code = json["code"]?.integer.map(Int.init)
        fault = json["fault"]?.string
        rule = json["rule"]?.string
        latencyMs = json["latencyMs"]?.integer ?? 0
        lostStatus = json["lostStatus"]?.integer.map(Int.init)
        lostCode = json["lostCode"]?.integer.map(Int.init)
        isProcessed = json["processed"]?.bool ?? false
        isRepeat = json["repeat"]?.bool ?? false
        hasSameBytes = json["sameBytes"]?.bool
    }
}

extension JournalEntry.Item {
    var json: JSONValue {
        let named: [(String, JSONValue)] = [
            ("SKU", .string(sku)), ("refundType", .optional(type)), ("refundAmount", .optional(amount)),
            ("refundReason", .optional(reason)),
        ]
        return .object(named.filter { $0.1 != .null }.map { .init(name: $0.0, value: $0.1) })
    }

    init?(_ json: JSONValue) {
        guard let sku = json["SKU"]?.string else { return nil }
        self.init(
            sku: sku, type: json["refundType"]?.string, amount: json["refundAmount"]?.integer,
            reason: json["refundReason"]?.string)
    }
}
