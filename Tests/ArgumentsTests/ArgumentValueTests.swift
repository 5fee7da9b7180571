import Arguments
import Testing

@Suite struct ArgumentValueTests {
    @Test(arguments: [
        ("30", Duration.seconds(30)), ("30s", .seconds(30)), ("500ms", .milliseconds(500)), ("5m", .seconds(300)),
        ("2h", .seconds(7200)), ("7d", .seconds(604_800)), ("0.25", .milliseconds(250)), ("0", .zero),
    ])
    func `a time span is read with its unit`(word: String, expected: Duration) {
        #expect(Duration(argument: word) == expected)
    }

    @Test(arguments: ["", "s", "-1", "1 h", "1h30m", "1e3", "inf", "nan", "٣s", "99999999999d", ".", "1.2.3", "0x10"])
    func `what is no time span is refused`(word: String) {
        #expect(Duration(argument: word) == nil)
    }

    @Test(arguments: [Duration.milliseconds(250), .seconds(45), .seconds(90), .seconds(7200), .seconds(172_800)])
    func `a time span reads back what it writes`(span: Duration) {
        #expect(Duration(argument: span.argument) == span)
    }

    @Test(arguments: [(2.0, "2"), (0.5, "0.5"), (-3.25, "-3.25")])
    func `a number is written without a needless fraction`(number: Double, expected: String) {
        #expect(number.argument == expected)
    }
}
