/// What becomes of one arrival.
package struct Verdict: Sendable {
    package enum Ending: Sendable, Hashable {
        case answer(Answer)
        /// The connection is closed without an answer.
        case cut
        /// The connection stays open and nothing is ever said.
        case hang
    }

    package var ending: Ending
    /// How long the ending is held back.
    package var latencyMs: Int64
    package var entry: JournalEntry
}
