/// Finds what somebody probably meant.
enum Spelling {
    /// `refundAmout` → `refundAmount`, `sku` → `SKU`, `transaction_id` → `transactionId`; nil when nothing is near.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let wanted = folded(word)
        let allowed = wanted.count < 4 ? 1 : 2
        var best: (distance: Int, candidate: String)?
        for candidate in candidates where candidate != word {
            let distance = distance(wanted, folded(candidate))
            if distance <= allowed, distance < best?.distance ?? .max { best = (distance, candidate) }
        }
        return best?.candidate
    }

    private static func folded(_ word: String) -> [UInt8] {
        word.lowercased().utf8.filter { ASCII.isAlphanumeric($0) || $0 >= 0x80 }
    }

    /// Optimal string alignment: an insertion, deletion, substitution or swap of neighbours costs 1.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var rows = [Array(0...right.count)]
        for i in 0..<left.count {
            var row = [i + 1]
            for j in 0..<right.count {
                var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, rows[i - 1][j - 1] + 1)
                }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
