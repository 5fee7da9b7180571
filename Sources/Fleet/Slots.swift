/// The requests that a worker may have under way, shared among its apps.
///
/// One app holds at most a quarter of them (all, if there is only one), so that an app with slow answers can't take
/// the others' place.
struct Slots {
    let total: Int
    let quota: Int
    private(set) var held: [String: Int] = [:]

    init(total: Int, apps: Int) {
        self.total = max(1, total)
        quota = apps <= 1 ? self.total : max(1, self.total / 4)
    }

    var taken: Int { held.values.reduce(0, +) }

    func free(for app: String) -> Int { max(0, min(quota - held[app, default: 0], total - taken)) }

    mutating func take(_ number: Int, for app: String) { held[app, default: 0] += number }
    mutating func give(_ number: Int, from app: String) { held[app, default: 0] -= number }
}
