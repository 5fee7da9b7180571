import Testing

@testable import AppStoreSimulator

@Suite struct ConventionTests {
    @Test(
        arguments: [
            ("4711-cut-after", "cut-after", 1), ("4711-cut-before", "cut-before", 1), ("4711-cut", "cut", 1),
            ("4711-hang", "hang", 1), ("a-b-hang-after-x3", "hang-after", 3), ("x-503", "503", 1),
            ("x-503-after", "503-after", 1), ("x-500-after-x2", "500-after", 2), ("x-429", "429", 1),
            ("x-401", "401", 1),
            ("x-garbage", "garbage", 1), ("x-empty", "empty", 1), ("x-4000181", "4000181", nil),
            ("x-4030020-x2", "4030020", 2), ("x-403", "403", nil), ("x-cut-always", "cut", nil),
            ("x-slow-1500", "slow-1500", nil), ("x-slow-20-x1", "slow-20", 1), ("x-5000001", "5000001", 1),
            ("9994000181", "4000181", nil), ("99940301234567890", "4030123", nil), ("9990000503", "503", 1),
            ("9990000003001", "cut-after", 1), ("9990000001", "cut-before", 1), ("9990000008", "500-after", 1),
        ] as [(String, String, Int?)])
    func `a transaction identifier asks for a fault`(transactionId: String, fault: String, times: Int?) throws {
        let convention = try #require(Convention(transactionId: transactionId))
        #expect(convention.fault.name == fault)
        #expect(convention.times == times)
    }

    @Test(arguments: [
        "2000000123456789", "case-4711", "cut-after", "999", "999400018", "9990000000", "x-cutafter", "x-199",
        "x-12345678",
        "x-4000181a", "x-slow", "x-slow-", "x-after", "x2",
    ])
    func `others ask for nothing`(transactionId: String) {
        #expect(Convention(transactionId: transactionId) == nil)
    }

    @Test func `what passes comes on the first arrival, what Apple means comes always`() async throws {
        try await withSimulator { world in
            let body = Bodies.refund()
            #expect(await world.call(.refund, "4711-cut-after", body).wasCut)
            #expect(await world.call(.refund, "4711-cut-after", body).status == 200)
            #expect(await world.entries(of: "4711-cut-after").map(\.isProcessed) == [true, false])

            let before = Bodies.refund()
            #expect(await world.call(.refund, "4711-cut-before-x2", before).wasCut)
            #expect(await world.call(.refund, "4711-cut-before-x2", before).wasCut)
            #expect(await world.call(.refund, "4711-cut-before-x2", before).status == 200)

            for _ in 0..<3 { #expect(await world.call(.refund, "4711-4030020", Bodies.refund()).code == 4_030_020) }
        }
    }

    @Test func `they can be turned off`() async throws {
        try await withSimulator("conventions: false") { world in
            #expect(await world.call(.refund, "4711-4030020", Bodies.refund()).status == 200)
        }
    }
}
