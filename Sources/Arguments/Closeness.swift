/// The word that was probably meant, or nil if none is near.
///
/// Near is one typing mistake in three letters; a word that is the beginning of exactly one candidate is near too.
package func closest(to word: String, in candidates: [String]) -> String? {
    let limit = max(1, word.count / 3)
    let ranked = candidates.map { (word: $0, distance: editDistance(word.lowercased(), $0.lowercased())) }
    if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit { return best.word }
    let completions = candidates.filter { word.count >= 3 && $0.hasPrefix(word) }
    return completions.count == 1 ? completions.first : nil
}

/// How many letters must be changed, added, taken away or swapped with their neighbour.
///
/// `editDistance("redirve", "redrive") == 1`, `editDistance("", "abc") == 3`
func editDistance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1...left.count {
        var current = [row]
        for column in 1...right.count {
            let change = left[row - 1] == right[column - 1] ? 0 : 1
            var best = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + change)
            let isSwapped =
                row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1]
            if isSwapped { best = min(best, beforeLast[column - 2] + 1) }
            current.append(best)
        }
        (beforeLast, last) = (last, current)
    }
    return last[right.count]
}
