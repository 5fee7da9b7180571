/// Faults that a transaction identifier asks for by its spelling, so that no scenario file is needed.
///
/// `anything-FAULT`, `anything-FAULT-x3`, `anything-FAULT-always`: the word is one of `Fault.init(word:)`. What passes
/// (a cut connection, a 503) happens on the transaction's first arrival, or on so many; what Apple says about the call
/// itself (4000181) happens always. For those whose identifiers are digits only: `999`, seven digits, anything; the
/// seven are an error code, `0000` and an HTTP status, or `000000` and a number of the table below.
struct Convention: Sendable {
    let fault: Fault
    /// How many arrivals of the transaction get the fault; nil: all.
    let times: Int?

    init?(transactionId: String) {
        if let digits = Convention(digits: transactionId) {
            self = digits
            return
        }
        let parts = transactionId.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 2 else { return nil }
        let (words, times) = Self.count(in: parts)
        // The longest word wins: `-cut-after` is not `-after` and not `-cut`.
        for length in [3, 2, 1] where words.count > length {
            guard let fault = Fault(word: words.suffix(length).joined(separator: "-")) else { continue }
            self.init(fault: fault, asked: times)
            return
        }
        return nil
    }

    private enum Times { case unsaid, some(Int), always }

    private init(fault: Fault, asked: Times) {
        self.fault = fault
        switch asked {
        case .unsaid: times = fault.isPassing && fault.ending != .usual ? 1 : nil
        case .some(let count): times = count
        case .always: times = nil
        }
    }

    private static func count(in parts: [String]) -> (words: [String], times: Times) {
        guard let last = parts.last else { return (parts, .unsaid) }
        if last == "always" { return (parts.dropLast(), .always) }
        if last.hasPrefix("x"), let count = Int(last.dropFirst()), count > 0 { return (parts.dropLast(), .some(count)) }
        return (parts, .unsaid)
    }

    private init?(digits transactionId: String) {
        let bytes = Array(transactionId.utf8)
        guard bytes.count >= 10, transactionId.hasPrefix("999"), bytes.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(String(decoding: bytes[3..<10], as: UTF8.self))
        else { return nil }
        let word =
            Self.numbered[number]
            ?? (number < 1000 ? String(number) : String(decoding: bytes[3..<10], as: UTF8.self))
        guard let fault = Fault(word: word) else { return nil }
        self.init(fault: fault, asked: .unsaid)
    }

    static let numbered = [
        1: "cut-before", 2: "cut", 3: "cut-after", 4: "hang", 5: "hang-after", 6: "garbage", 7: "empty",
        8: "500-after", 9: "slow-1500",
    ]
}
