import Testing

@testable import Fleet

@Suite struct `A permit` {
    @Test func `is good while it is young`() {
        #expect(Permit(begun: .now, age: .seconds(60)).isValid)
    }

    @Test func `is void once half a guard has passed since the lease call began, however soon the answer came`() {
        #expect(!Permit(begun: .now - .milliseconds(13), age: .microseconds(12_500)).isValid)
    }

    @Test func `is void when the lease is lost`() {
        let permit = Permit(begun: .now, age: .seconds(60))
        permit.revoke()
        #expect(!permit.isValid)
    }
}
