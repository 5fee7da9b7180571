/// In which of four ways an argument is typed.
enum ArgumentShape: Sendable {
    /// `--yes`
    case flag
    /// `--app audiobooks` or `--app=audiobooks`
    case option
    /// `--wait` or `--wait=outcome`; a word after it is never taken for its value
    case optionWithOptionalValue
    /// `FILE`
    case positional
}
