import Testing

@testable import Redis

@Suite struct ComplaintsTests {
    @Test func `failures in a row are told when their number has doubled`() {
        var complaints = Complaints()
        #expect(
            (1...1000).compactMap { _ in complaints.another("refused") } == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
    }

    @Test func `a failure of another kind is told at once`() {
        var complaints = Complaints()
        for _ in 1...3 { _ = complaints.another("refused") }
        #expect(complaints.another("LOADING") == 1)
        #expect(complaints.another("refused") == 1)
    }

    @Test func `the first failure after a connection is told again`() {
        var complaints = Complaints()
        for _ in 1...3 { _ = complaints.another("refused") }
        complaints.forget()
        #expect(complaints.another("refused") == 1)
    }
}
