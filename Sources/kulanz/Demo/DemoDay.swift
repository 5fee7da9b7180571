import Refunds

/// Everything that happens on the demo's day, the same each time: who asks for what, in which way, and what goes wrong.
struct DemoDay: Sendable {
    let jobs: [DemoJob]
    /// What producers add by XADD and get wrong.
    let entries: [DemoEntry]
    /// The lines of the campaign that `kulanz enqueue` reads: the jobs of that way, one of them twice, and a bad one.
    let campaign: [String]

    init() throws(Violations) {
        var jobs: [DemoJob] = []
        for app in DemoApp.allCases { jobs += try Self.jobs(of: app) }
        self.jobs = jobs
        entries = Self.mistakes + Self.repeats(of: jobs)
        let lines = jobs.filter { $0.way == .enqueue }.map(\.text)
        campaign = lines + lines.prefix(1) + [Self.badLine]
    }

    var expectedLetters: Int { entries.count { $0.fate == .letter } }

    // MARK: Jobs

    private static func jobs(of app: DemoApp) throws(Violations) -> [DemoJob] {
        var jobs: [DemoJob] = []
        for number in 0..<count(of: app) { jobs.append(try job(number, of: app)) }
        return jobs
    }

    private static func count(of app: DemoApp) -> Int { app.hasLapsed ? 96 : 84 }

    private static func job(_ number: Int, of app: DemoApp) throws(Violations) -> DemoJob {
        let (lane, way, moment) = place(number, of: app)
        let incident = incidents[app]?[number]
        var fields = JSONObject()
        // Here and there a producer gives no id; the job's content is its id then.
        if number % 25 != 24 { fields["id"] = .string("\(app.idPrefix)-\(4700 + number)") }
        if way == .enqueue {
            fields["app"] = .string(app.name)
            fields["priority"] = lane == .normal ? nil : .string(lane.rawValue)
        }
        fields["transactionId"] = .string(transactionId(number, of: app))
        DemoRequest(number, of: app, incident).write(to: &fields)
        if lane == .urgent { fields["requestedBy"] = .string("agent-\(11 + number % 7)") }
        let json = JSON.object(fields)
        let job = try Job.validate(json, app: app.rules, from: way == .enqueue ? .line : .lane(lane)).get()
        return DemoJob(
            app: app, job: job, lane: lane, way: way, text: json.text, moment: moment, incident: incident)
    }

    static func transactionId(_ number: Int, of app: DemoApp) -> String {
        let hundreds = (DemoApp.allCases.firstIndex(of: app) ?? 0) + 1
        return String(2_000_000_000_000_000 + hundreds * 100_000_000 + number * 7919 + 40_013)
    }

    /// Two streams of work that are there from the start, and agents who call in while it is worked off.
    private static func place(_ number: Int, of app: DemoApp) -> (Priority, DemoJob.Way, Duration) {
        switch app {
        case .audiobooks:
            if number >= 72 { return (.urgent, .xadd, .milliseconds(800 * (number - 71))) }
            return (number < 56 ? .normal : .bulk, .xadd, .zero)
        case .courses:
            if number >= 76 { return (.urgent, .xadd, .milliseconds(1200 * (number - 75))) }
            return (number < 50 || number >= 68 ? .normal : .bulk, number < 68 ? .enqueue : .xadd, .zero)
        case .podcasts: return (.bulk, .xadd, .zero)
        }
    }

    private static let incidents: [DemoApp: [Int: Incident]] = [
        .audiobooks: [
            3: .processedThenCut, 7: .processedThenSilent, 11: .internalError, 14: .unavailable, 17: .processedThenCut,
            21: .processedThenSilent, 25: .amountTooHigh, 28: .processedThenError, 31: .processedThenSilent, 33: .cut,
            36: .notRefundable, 38: .pendingRefund, 41: .amountTooHigh, 60: .processedThenCut, 75: .unavailable,
        ],
        .courses: [
            2: .processedThenSilent, 5: .processedThenCut, 9: .unavailable, 12: .rateLimited, 15: .processedThenCut,
            19: .processedThenSilent, 23: .internalError, 27: .notFound, 30: .processedThenCut,
            34: .processedThenError, 38: .processedThenSilent, 56: .cut, 78: .processedThenCut,
        ],
    ]

    // MARK: Mistakes

    private static let badLine = """
        {"id":"ticket-9001","app":"courses","operation":"refund","transactionId":"2000000290000001","request":\
        {"items":[{"SKU":"course.piano.2","refundReason":"OTHER","refundType":"CUSTOM","refundAmount":4.99,\
        "revoke":true}],"refundRiskingPreference":false,"currency":"EUR"}}
        """

    private static func refund(
        _ id: String, _ transactionId: String, sku: String = "audiobook.2041", type: String = #""FULL""#,
        rest: String = ""
    ) -> String {
        """
        {"id":"\(id)","operation":"refund","transactionId":"\(transactionId)","request":{"items":[{"SKU":"\(sku)",\
        "refundReason":"UNSATISFIED_WITH_PURCHASE","refundType":\(type),"revoke":true}],\
        "refundRiskingPreference":false\(rest)}}
        """
    }

    /// What no check lets through: it costs no request, and each becomes a letter that says what to mend.
    private static let mistakes: [DemoEntry] = [
        DemoEntry(.audiobooks, #"{"id":"case-9101","operation":"refund","transactionId":"20000001900"#),
        DemoEntry(
            .audiobooks,
            refund(
                "case-9102", "2000000190000002", type: #""CUSTOM","refundAmout":4990"#,
                rest: #","currency":"EUR","storefront":"DEU""#)),
        DemoEntry(
            .audiobooks,
            refund(
                "case-9103", "2000000190000003", type: #""CUSTOM","refundAmount":4.99"#,
                rest: #","currency":"EUR","storefront":"DEU""#)),
        DemoEntry(.audiobooks, "", bytes: [0x7B, 0x22, 0x69, 0x64, 0x22, 0x3A, 0x22, 0xFF, 0xFE, 0x22, 0x7D]),
        DemoEntry(.audiobooks, refund("case-🎧", "2000000190000005")),
        DemoEntry(
            .courses,
            #"{"id":"ticket-9106","operation":"revoke","transactionId":"2000000290000006","request":{"refundReason":"#
                + #""LEGAL","refundType":"FULL","refundRiskingPreference":false}}"#),
        DemoEntry(.courses, refund("ticket-9107", "2000000290000007"), field: "payload"),
    ]

    /// What producers say twice: with the same words it is the same job, with others it is a dead letter.
    private static func repeats(of jobs: [DemoJob]) -> [DemoEntry] {
        func text(_ app: DemoApp, _ number: Int) -> String {
            jobs.first { $0.app == app && $0.job.transactionId == transactionId(number, of: app) }?.text ?? ""
        }
        func other(_ app: DemoApp, _ number: Int, id: String) -> String {
            text(app, number).replacing("\"\(app.idPrefix)-\(4700 + number)\"", with: "\"\(id)\"", maxReplacements: 1)
        }
        return [
            // A client whose XADD timed out, and who does the right thing.
            DemoEntry(.audiobooks, text(.audiobooks, 1), at: .seconds(2), becoming: .duplicate),
            DemoEntry(.courses, text(.courses, 70), at: .seconds(2), becoming: .duplicate),
            // Two people take care of the same customer.
            DemoEntry(.audiobooks, other(.audiobooks, 2, id: "case-9201"), at: .seconds(3)),
            DemoEntry(.courses, other(.courses, 71, id: "ticket-9202"), at: .seconds(3)),
            // A number given twice.
            DemoEntry(.audiobooks, refund("case-4705", "2000000190000008"), at: .seconds(3)),
        ]
    }
}
