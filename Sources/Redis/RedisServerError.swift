/// An error that the server answered with, by name.
///
/// The names are the first words of Redis' own messages (redis.io/docs/latest/develop/reference/protocol-spec,
/// "Simple errors").
package struct RedisServerError: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case readOnly, loading, noScript, oom, noGroup, busy, busyGroup, misconf, noReplicas, noPerm, noAuth, wrongPass
        case wrongType, tryAgain, moved, ask, clusterDown, masterDown, maxClients, execAbort
        /// `ERR`, or a word of a script's own.
        case other(String)
    }

    package let kind: Kind
    /// The message as the server wrote it, without the words of the command that it may repeat.
    package let message: String

    package init(_ text: String) {
        let code = text.prefix { $0 != " " }
        kind = Self.kinds[String(code)] ?? Self.kind(of: text, code: String(code))
        // "unknown command 'x', with args beginning with: 'secret'" would carry arguments into logs.
        if let range = text.firstRange(of: ", with args beginning with:") {
            message = String(text[..<range.lowerBound])
        } else {
            message = text
        }
    }

    private static func kind(of text: String, code: String) -> Kind {
        if text.hasPrefix("ERR max number of clients reached") { return .maxClients }
        // How Redis 7 says NOPERM of a command inside a script.
        if text.hasPrefix("ERR The user executing the script can't ") { return .noPerm }
        return .other(code)
    }

    private static let kinds: [String: Kind] = [
        "READONLY": .readOnly, "LOADING": .loading, "NOSCRIPT": .noScript, "OOM": .oom, "NOGROUP": .noGroup,
        "BUSY": .busy, "BUSYGROUP": .busyGroup, "MISCONF": .misconf, "NOREPLICAS": .noReplicas, "NOPERM": .noPerm,
        "NOAUTH": .noAuth, "WRONGPASS": .wrongPass, "WRONGTYPE": .wrongType, "TRYAGAIN": .tryAgain, "MOVED": .moved,
        "ASK": .ask, "CLUSTERDOWN": .clusterDown, "MASTERDOWN": .masterDown, "EXECABORT": .execAbort,
    ]

    /// Whether the same command may succeed a little later without anybody's help.
    package var isPassing: Bool {
        switch kind {
        case .readOnly, .loading, .busy, .noReplicas, .tryAgain, .clusterDown, .masterDown, .maxClients: true
        case .noScript, .oom, .noGroup, .busyGroup, .misconf, .noPerm, .noAuth, .wrongPass, .wrongType, .moved, .ask,
            .execAbort, .other:
            false
        }
    }

    /// Whether part of the command may have taken effect before the error.
    ///
    /// A refusal at the door changes nothing; an error that a running script met (Redis says so: "script: …") may
    /// stand between two writes.
    package var mayHaveRun: Bool {
        switch kind {
        case .loading, .noScript, .busy, .busyGroup, .noAuth, .wrongPass, .moved, .ask, .clusterDown, .masterDown,
            .maxClients, .execAbort:
            false
        case .tryAgain, .readOnly, .oom, .noGroup, .misconf, .noReplicas, .noPerm, .wrongType:
            message.contains("script: ")
        case .other: true
        }
    }

    /// What a person does about it; nil when only the message tells.
    package var remedy: String? {
        switch kind {
        case .readOnly:
            "This server is a replica. The connection is made anew, in case the name now leads to the primary; if "
                + "this stays, point the URL at the primary."
        case .loading: "Redis is reading its data from disk after a start. Wait; nothing is lost."
        case .noScript: "The server's script cache was emptied while the script was being loaded. Try again."
        case .oom:
            "Redis has reached maxmemory and takes no new data. Raise maxmemory or remove what nobody needs; keep "
                + "maxmemory-policy noeviction."
        case .noGroup: "The stream or its consumer group is missing: the key was deleted, or this Redis was emptied."
        case .busy: "A script blocks Redis. SCRIPT KILL ends it if it has written nothing yet."
        case .busyGroup: "The consumer group exists already."
        case .misconf:
            "Redis can't write its data to disk and refuses writes. Look at the disk (full, read-only?) and at "
                + "Redis' log."
        case .noReplicas: "Fewer replicas are connected than min-replicas-to-write asks for. Bring one back."
        case .noPerm: "The Redis user lacks a right. Grant it with ACL SETUSER; the message names what is missing."
        case .noAuth: "Redis asks for a password. Put it into the URL: redis://user:password@host."
        case .wrongPass: "Redis refuses the user name or password of the URL."
        case .wrongType: "A key holds another type than ours: somebody else writes under our prefix."
        case .tryAgain: "The slot is being moved between Cluster nodes. It works again when the move is over."
        case .moved, .ask: "This is a node of a Redis Cluster, and the key lives on another one. Clusters come later."
        case .clusterDown: "The Redis Cluster doesn't serve this slot at the moment."
        case .masterDown: "This replica has lost its primary."
        case .maxClients: "Redis has no room for another connection. Raise maxclients or close some."
        case .execAbort: "The transaction was dropped because one of its commands was refused."
        case .other: nil
        }
    }
}

extension RedisServerError: CustomStringConvertible {
    package var description: String {
        guard let remedy else { return "Redis answered: \(message)" }
        return "\(remedy) (Redis: \(message))"
    }
}
