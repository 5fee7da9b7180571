import Testing

@testable import HTTP

@Suite struct DepartureTests {
    private let failure = HTTPFailure(kind: .reset, message: "gone")

    @Test func `what never came to be written is surely unseen`() {
        #expect(Departure().outcome(of: failure).unsent == .reset)
    }

    @Test func `a refused request is surely unseen, whatever follows`() {
        var departure = Departure()
        #expect(!departure.prerequisite { false })
        #expect(!departure.prerequisite { true })
        #expect(departure.outcome(of: failure).unsent == .notPermitted)
    }

    @Test func `a request that left is unclear`() {
        var departure = Departure()
        #expect(departure.prerequisite { true })
        #expect(departure.outcome(of: failure).unclear == .reset)
    }

    @Test func `a second departure is refused without asking and unclear for ever`() {
        var departure = Departure()
        var asked = 0
        let mayDepart = {
            asked += 1
            return true
        }
        let passed = (1...3).map { _ in departure.prerequisite(mayDepart: mayDepart) }
        #expect(passed == [true, false, false])
        #expect(asked == 1)
        #expect(departure.outcome(of: failure).unclear == .repeatedByTransport)
    }

    @Test func `a request that the server declined is surely unseen, and doesn't depart again`() {
        var departure = Departure()
        #expect(departure.prerequisite { true })
        departure.declined()
        #expect(!departure.prerequisite { true })
        #expect(departure.outcome(of: failure).unsent == .refusedStream)
    }

    @Test func `a refusal counts of a request that was let go, and of no other`() {
        var docked = Departure()
        docked.declined()
        #expect(docked.state == .docked)
        var repeated = Departure()
        for _ in 1...2 { _ = repeated.prerequisite { true } }
        repeated.declined()
        #expect(repeated.outcome(of: failure).unclear == .repeatedByTransport)
    }
}
