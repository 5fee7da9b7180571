import Redis
import Testing

@Suite struct RedisServerErrorTests {
    @Test(arguments: [
        ("READONLY You can't write against a read only replica.", RedisServerError.Kind.readOnly, true, false),
        ("LOADING Redis is loading the dataset in memory", .loading, true, false),
        ("NOSCRIPT No matching script. Please use EVAL.", .noScript, false, false),
        ("OOM command not allowed when used memory > 'maxmemory'.", .oom, false, false),
        ("OOM command not allowed when used memory > 'maxmemory'. script: ab, on @user_script:1.", .oom, false, true),
        ("NOGROUP No such key 's'", .noGroup, false, false),
        ("BUSY Redis is busy running a script.", .busy, true, false),
        ("BUSYGROUP Consumer Group name already exists", .busyGroup, false, false),
        ("MISCONF Redis is configured to save RDB snapshots", .misconf, false, false),
        ("NOREPLICAS Not enough good replicas to write.", .noReplicas, true, false),
        ("NOPERM this user has no permissions", .noPerm, false, false),
        (
            "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments "
                + "script: 1298, on @user_script:1.", .noPerm, false, true
        ),
        ("NOAUTH Authentication required.", .noAuth, false, false),
        ("WRONGPASS invalid username-password pair", .wrongPass, false, false),
        ("WRONGTYPE Operation against a key", .wrongType, false, false),
        ("TRYAGAIN Multiple keys request during rehashing of slot", .tryAgain, true, false),
        ("MOVED 3999 127.0.0.1:6381", .moved, false, false),
        ("ASK 3999 127.0.0.1:6381", .ask, false, false),
        ("CLUSTERDOWN Hash slot not served", .clusterDown, true, false),
        ("MASTERDOWN Link with MASTER is down", .masterDown, true, false),
        ("ERR max number of clients reached", .maxClients, true, false),
        ("ERR syntax error", .other("ERR"), false, true),
        ("alreadyRequested", .other("alreadyRequested"), false, true),
        ("", .other(""), false, true),
    ])
    func `an error is known by its first word`(
        text: String, kind: RedisServerError.Kind, isPassing: Bool, mayHaveRun: Bool
    ) {
        let error = RedisServerError(text)
        #expect(error.kind == kind)
        #expect(error.isPassing == isPassing)
        #expect(error.mayHaveRun == mayHaveRun)
        #expect(error.message == text)
        if case .other = kind { #expect(error.remedy == nil) } else { #expect(error.remedy != nil) }
    }

    @Test func `arguments that Redis quotes are cut off`() {
        let error = RedisServerError("ERR unknown command 'X', with args beginning with: 'token' ")
        #expect(error.message == "ERR unknown command 'X'")
    }
}
