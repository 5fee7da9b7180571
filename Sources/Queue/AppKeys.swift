package import Refunds

/// The names of an app's keys, all in one Cluster slot by their hash tag. docs/keys.md says what each holds.
package struct AppKeys: Sendable, Hashable {
    /// `<prefix>:{<app>}`. Never a key itself; each script gets it and names the others.
    package let base: String

    package init(prefix: String, app: String) { base = "\(prefix):{\(app)}" }

    package func lane(_ priority: Priority) -> String { "\(base):jobs:\(priority.rawValue)" }
    package func ready(_ priority: Priority) -> String { "\(base):ready:\(priority.rawValue)" }
    package func job(_ id: String) -> String { "\(base):job:\(id)" }
    package func purchase(_ transaction: String) -> String { "\(base):purchase:\(transaction)" }
    package func followers(_ line: String) -> String { "\(base):line:\(line)" }
    package var later: String { base + ":later" }
    package var leases: String { base + ":leases" }
    package var gate: String { base + ":gate:refunds" }
    package var departures: String { base + ":gate:refunds:log" }
    package var followups: String { base + ":followups" }
    package var allFollowers: String { base + ":followers" }
    package var held: String { base + ":held" }
    package var dead: String { base + ":dead" }
    package var access: String { base + ":access" }
    package var inbox: String { base + ":inbox" }
    package var ledger: String { base + ":ledger" }
    package var alerts: String { base + ":alerts" }
    package var intake: String { base + ":intake" }
    package var headers: String { base + ":headers" }
    package var strays: String { base + ":strays" }
    /// The channel that our own scripts ring when work may have become ready.
    package var bell: String { base + ":bell" }

    /// The keyspace channel on which a raw XADD to a lane announces itself (`notify-keyspace-events Kt`).
    package func additions(to priority: Priority, database: Int) -> String {
        "__keyspace@\(database)__:\(lane(priority))"
    }
}
