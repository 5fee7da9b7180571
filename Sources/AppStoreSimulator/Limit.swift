/// How many calls of an app this Apple takes before it answers 429.
package struct Limit: Sendable, Hashable {
    package enum Scope: String, Sendable, CaseIterable {
        /// Each of the three endpoints has a count of its own, as Apple documents it.
        case endpoint
        /// The three share one, as the strictest reading would have it.
        case app
    }

    /// In any sliding second; nil: not limited. Apple writes its numbers per second but documents hourly enforcement.
    package var perSecond: Int?
    /// In any sliding hour; nil: not limited.
    package var perHour: Int?
    package var scope = Scope.endpoint

    /// 5 a second counted over an hour; a tenth of that in the sandbox (Apple's page on rate limits; the multiplication
    /// is ours).
    static func documented(_ environment: AppEnvironment) -> Limit {
        Limit(perSecond: nil, perHour: environment == .production ? 18_000 : 1_800)
    }
}

extension Limit: Decodable {
    enum Keys: String, ScenarioKeys { case perSecond, perHour, scope }

    package init(from decoder: any Decoder) throws {
        let keys = try decoder.strict(Keys.self)
        perSecond = try keys.decodeIfPresent(Int.self, forKey: .perSecond)
        perHour = try keys.decodeIfPresent(Int.self, forKey: .perHour)
        scope = try keys.word(.scope, or: .endpoint)
        for (key, value) in [(Keys.perSecond, perSecond), (.perHour, perHour)] {
            if let value, value < 0 {
                throw ScenarioError(path: decoder.codingPath + [key], problem: "must not be negative")
            }
        }
    }
}
