/// What is wrong with the words that were typed; `UsageError+description.swift` says it in a sentence.
package enum UsageError: Error, Hashable {
    case unknownCommand(String, suggestion: String?)
    /// A group such as `jobs` alone.
    case incompleteCommand(String, choices: [String])
    /// A word that could mean several commands, with the sentence that tells them apart.
    case ambiguousCommand(String, explanation: String)
    case unknownOption(String, suggestion: String?)
    case missingValue(option: String)
    case unwantedValue(option: String)
    case unreadable(String, argument: String, expectation: String, suggestion: String?)
    case repeated(option: String)
    case unexpected(String)
    /// Everything that is required and was not given.
    case missing([String])
    /// A rule between arguments, found by the command itself.
    case invalid(String)
}
