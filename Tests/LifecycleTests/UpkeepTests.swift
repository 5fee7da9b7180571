import Lifecycle
import Testing

@Suite struct UpkeepTests {
    private func waits(_ upkeep: inout Upkeep, _ number: Int, _ exit: ChildProcess.Exit?, _ life: Duration) -> [Int64?]
    {
        (0..<number).map { _ in
            guard case .again(let delay) = upkeep.died(exit, after: life) else { return nil }
            return delay.components.seconds
        }
    }

    @Test func `a child that dies is started at once, then after longer and longer waits`() {
        var upkeep = Upkeep(givesUpAfter: nil)
        #expect(waits(&upkeep, 10, .signal(9), .seconds(1)) == [0, 1, 2, 4, 8, 16, 30, 30, 30, 30])
    }

    @Test func `a long life is a new beginning`() {
        var upkeep = Upkeep(givesUpAfter: nil)
        _ = waits(&upkeep, 6, .signal(9), .seconds(59))
        #expect(upkeep.died(.signal(9), after: .seconds(60)) == .again(after: .zero))
        #expect(upkeep.died(.signal(9), after: .seconds(1)) == .again(after: .seconds(1)))
    }

    @Test(arguments: [.code(78), .code(1), nil] as [ChildProcess.Exit?])
    func `a child that ends by itself right after each start is given up`(exit: ChildProcess.Exit?) {
        var upkeep = Upkeep(givesUpAfter: 3)
        #expect(waits(&upkeep, 3, exit, .seconds(9)) == [0, 1, nil])
    }

    @Test(
        arguments: [
            (.signal(9), .zero), (.signal(11), .seconds(1)), (.code(0), .seconds(1)), (.code(78), .seconds(10)),
        ] as [(ChildProcess.Exit, Duration)])
    func `a child that was ended, or had lived, is never given up`(exit: ChildProcess.Exit, life: Duration) {
        var upkeep = Upkeep(givesUpAfter: 2)
        #expect(!waits(&upkeep, 20, exit, life).contains(nil))
    }

    @Test func `only ends in a row lead to giving up`() {
        var upkeep = Upkeep(givesUpAfter: 2)
        #expect(upkeep.died(.code(78), after: .zero) != .giveUp)
        #expect(upkeep.died(.signal(9), after: .zero) != .giveUp)
        #expect(upkeep.died(.code(78), after: .zero) != .giveUp)
        #expect(upkeep.died(.code(78), after: .zero) == .giveUp)
    }
}
