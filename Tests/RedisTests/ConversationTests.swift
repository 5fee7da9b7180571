import Testing

@testable import Redis

@Suite struct ConversationTests {
    private let start = ContinuousClock.now
    private let ok = RedisValue.simple("OK")

    /// Calls are five bytes long and due after as many seconds as their number.
    private func call(_ id: UInt64) -> Conversation.Call {
        Conversation.Call(id: id, bytes: [UInt8](repeating: UInt8(id), count: 5), deadline: start + .seconds(Int(id)))
    }

    private func written(_ id: UInt64) -> Conversation.Action { .write([UInt8](repeating: UInt8(id), count: 5)) }

    private func connected(calls: ClosedRange<UInt64>) -> Conversation {
        var conversation = Conversation()
        #expect(conversation.call(call(calls.lowerBound)) == [.connect])
        for id in calls.dropFirst() { #expect(conversation.call(call(id)) == []) }
        #expect(
            conversation.connected(runId: "r") == [.announce(.connected(runId: "r"))] + calls.map { written($0) })
        return conversation
    }

    @Test func `answers go to the calls in the order in which these were sent`() {
        var conversation = connected(calls: 1...2)
        #expect(conversation.call(call(3)) == [written(3)])
        for id: UInt64 in 1...3 {
            #expect(
                conversation.reply(.integer(Int64(id)), written: 15) == [.finish(id, .success(.integer(Int64(id))))])
        }
        #expect(conversation.isQuiet)
    }

    @Test func `a loss fails what had left whole and keeps the rest for the next connection`() {
        var conversation = connected(calls: 1...3)
        #expect(
            conversation.failed(.lost, written: 9) == [
                .disconnect, .announce(.disconnected), .finish(1, .failure(.connectionLost(mayHaveRun: true))),
                .rest(failures: 1),
            ])
        #expect(conversation.call(call(4)) == [])
        #expect(conversation.rested() == [.connect])
        #expect(
            conversation.connected(runId: nil) == [
                .announce(.connected(runId: nil)), written(2), written(3), written(4),
            ])
    }

    @Test func `a refusal fails the calls of a client that was never connected`() {
        var conversation = Conversation()
        _ = conversation.call(call(1))
        let refused = RedisError.connectionRefused(reason: "nobody")
        #expect(
            conversation.failed(.refused("nobody"), written: 0) == [
                .disconnect, .finish(1, .failure(refused)), .rest(failures: 1),
            ])
        // A caller in a loop is slowed down by the rest.
        #expect(conversation.call(call(2)) == [])
        #expect(conversation.rested() == [.connect])
        #expect(conversation.failed(.refused("nobody"), written: 0).last == .rest(failures: 2))
        #expect(conversation.rested() == [])
        #expect(conversation.phase == .idle)
    }

    @Test func `a refusal after a good connection is waited out, each call until its deadline`() {
        var conversation = connected(calls: 1...1)
        _ = conversation.reply(ok, written: 5)
        _ = conversation.failed(.lost, written: 5)
        _ = conversation.rested()
        _ = conversation.call(call(2))
        _ = conversation.call(call(3))
        #expect(conversation.failed(.refused("nobody"), written: 0) == [.disconnect, .rest(failures: 2)])
        #expect(conversation.earliestDeadline == start + .seconds(2))
        #expect(
            conversation.passed(start + .seconds(2), written: 0) == [
                .finish(2, .failure(.connectionRefused(reason: "nobody")))
            ])
        #expect(conversation.rested() == [.connect])
        #expect(conversation.connected(runId: "r").last == written(3))
    }

    @Test func `a refused login fails everybody, a server that loads nobody`() {
        let wrong = RedisServerError("WRONGPASS invalid")
        var conversation = Conversation()
        _ = conversation.call(call(1))
        #expect(
            conversation.failed(.rejected(wrong), written: 0) == [
                .disconnect, .finish(1, .failure(.server(wrong))), .rest(failures: 1),
            ])
        var loading = Conversation()
        _ = loading.call(call(1))
        let fault = Conversation.Fault.rejected(RedisServerError("LOADING Redis is loading"))
        #expect(loading.failed(fault, written: 0) == [.disconnect, .rest(failures: 1)])
    }

    @Test func `a deadline takes the connection with it`() {
        var conversation = connected(calls: 1...3)
        #expect(conversation.passed(start, written: 15) == [])
        #expect(
            conversation.passed(start + .seconds(1), written: 12) == [
                .finish(1, .failure(.timedOut(mayHaveRun: true))), .disconnect, .announce(.disconnected),
                .finish(2, .failure(.connectionLost(mayHaveRun: true))), .rest(failures: 1),
            ])
        #expect(conversation.rested() == [.connect])
        #expect(conversation.connected(runId: nil).last == written(3))
    }

    @Test func `a deadline before the bytes have left says so`() {
        var conversation = connected(calls: 1...1)
        #expect(
            conversation.passed(start + .seconds(1), written: 4).first
                == .finish(1, .failure(.timedOut(mayHaveRun: false))))
    }

    @Test func `READONLY lets the others land and then connects anew`() {
        var conversation = connected(calls: 1...2)
        let error = RedisServerError("READONLY You can't write against a read only replica.")
        #expect(conversation.reply(.error(error), written: 10) == [.finish(1, .failure(.server(error)))])
        #expect(conversation.call(call(3)) == [])
        #expect(
            conversation.reply(ok, written: 10) == [
                .finish(2, .success(ok)), .disconnect, .announce(.disconnected), .rest(failures: 1),
            ])
        #expect(conversation.rested() == [.connect])
        #expect(conversation.connected(runId: nil).last == written(3))
    }

    @Test func `an abandoned call keeps its place`() {
        var conversation = connected(calls: 1...2)
        #expect(conversation.cancel(1, written: 10) == [.finish(1, .failure(.cancelled(mayHaveRun: true)))])
        #expect(conversation.cancel(1, written: 10) == [])
        #expect(conversation.reply(.integer(1), written: 10) == [])
        #expect(conversation.reply(.integer(2), written: 10) == [.finish(2, .success(.integer(2)))])
    }

    @Test func `an abandoned call that waits is never sent`() {
        var conversation = Conversation()
        _ = conversation.call(call(1))
        #expect(conversation.cancel(1, written: 0) == [.finish(1, .failure(.cancelled(mayHaveRun: false)))])
        #expect(conversation.connected(runId: nil) == [.announce(.connected(runId: nil))])
    }

    @Test func `an abandoned call that gets no answer still betrays a dead connection`() {
        var conversation = connected(calls: 1...1)
        _ = conversation.cancel(1, written: 5)
        #expect(
            conversation.passed(start + .seconds(1), written: 5) == [
                .disconnect, .announce(.disconnected), .rest(failures: 1),
            ])
    }

    @Test func `good answers forgive earlier failures`() {
        var conversation = connected(calls: 1...2)
        #expect(conversation.failed(.lost, written: 0).last == .rest(failures: 1))
        _ = conversation.rested()
        #expect(conversation.failed(.refused("x"), written: 0).last == .rest(failures: 2))
        _ = conversation.rested()
        _ = conversation.connected(runId: nil)
        _ = conversation.reply(ok, written: 10)
        #expect(conversation.failed(.lost, written: 10).last == .rest(failures: 1))
    }

    @Test func `closing ends everything`() {
        var conversation = connected(calls: 1...2)
        #expect(
            conversation.close(written: 5) == [
                .disconnect, .announce(.disconnected), .finish(1, .failure(.closed(mayHaveRun: true))),
                .finish(2, .failure(.closed(mayHaveRun: false))),
            ])
        #expect(conversation.call(call(3)) == [.finish(3, .failure(.closed(mayHaveRun: false)))])
        #expect(conversation.rested() == [])
    }
}
