import AppStore
import Arguments
import Crypto
import Queue
import Refunds

extension AppSettings {
    /// - Parameter apps: the section that holds this one, for what is wrong with the name.
    init?(name: String, _ section: Section, in apps: Section) {
        if !AppRules.isValid(name: name) {
            apps.refuse(name, "is no name for an app; expects 1 to 64 of A-Za-z0-9._-")
        }
        let credentials = Self.credentials(section)
        let appleId = Self.appleId(section)
        let caFile = section.pemFile("caFile")
        let rate = Self.rate(section.optionalSection("limit"), credentials.environment ?? .production)
        let retry = Self.retry(section.optionalSection("retry"))
        let hold = section.number("holdHours", default: 72, in: 0.001...8760, "hours")
        let answersConsumption = Self.consumption(section)
        let webhook = Self.webhook(section.optionalSection("alerts"))
        section.finish(later: ["rootCertificates": "the verification of signed payloads"])
        guard let credentials = credentials.complete else { return nil }
        self.init(
            name: name, credentials: credentials, appAppleId: appleId, caFile: caFile, rate: rate, retry: retry,
            hold: .milliseconds((hold * 3_600_000).rounded()), answersConsumption: answersConsumption, webhook: webhook)
    }

    // MARK: Who calls Apple

    private static func credentials(_ section: Section) -> (environment: Environment?, complete: AppCredentials?) {
        let bundleId = word("bundleId", "the app's bundle id, such as com.example.audiobooks", section)
        let environment = environment(section)
        let issuerId = word("issuerId", "the issuer id of App Store Connect, Users and Access, Integrations", section)
        let keyId = word("keyId", "the id of the In-App Purchase key, ten letters and digits", section)
        let key = privateKey(section)
        let baseURL = baseURL(section)
        guard let bundleId, let environment, let issuerId, let keyId, let key else { return (environment, nil) }
        do {
            return (
                environment,
                try AppCredentials(
                    bundleId: bundleId, issuerId: issuerId, keyId: keyId, key: key, environment: environment,
                    baseURL: baseURL)
            )
        } catch {
            section.refuse("baseURL", "\(error)")
            return (environment, nil)
        }
    }

    /// Something that stands in a token or a header and so must be one plain word.
    private static func word(_ key: String, _ what: String, _ section: Section) -> String? {
        guard let text = section.required(key, expecting: what) else { return nil }
        let isWord = text.utf8.count <= 255 && text.unicodeScalars.allSatisfy { (0x21...0x7E).contains($0.value) }
        guard isWord else {
            section.refuse(key, "expects \(what), without blanks")
            return nil
        }
        return text
    }

    private static func environment(_ section: Section) -> Environment? {
        let words = Environment.allCases.map(\.rawValue)
        let what = words.map { "\"\($0)\"" }.joined(separator: " or ")
        guard let text = section.required("environment", expecting: what) else { return nil }
        if let environment = Environment(rawValue: text) { return environment }
        section.refuse(
            "environment", "expects \(what)" + (closest(to: text, in: words).map { "; did you mean \($0)?" } ?? ""))
        return nil
    }

    private static func appleId(_ section: Section) -> Int64? {
        let number = section.number("appAppleId", default: 0, in: 0...9e15, "the App Store's id of the app")
        guard number == number.rounded() else {
            section.refuse("appAppleId", "expects the App Store's id of the app, a whole number")
            return nil
        }
        return number > 0 ? Int64(number) : nil
    }

    private static func privateKey(_ section: Section) -> SigningKey? {
        let what = "the In-App Purchase key, such as file:AuthKey_2X9R4HXF34.p8"
        guard section.node("privateKey") != nil else {
            section.refuse("privateKey", "is missing; it should be \(what)")
            return nil
        }
        guard let bytes = section.bytes("privateKey", expecting: what) else { return nil }
        do {
            return try SigningKey(p8: bytes)
        } catch {
            section.refuse("privateKey", "\(error)")
            return nil
        }
    }

    /// Nil also where there is none: then the host follows from the environment.
    private static func baseURL(_ section: Section) -> BaseURL? {
        guard let text = section.string("baseURL", expecting: "a URL") else { return nil }
        do {
            return try BaseURL(text)
        } catch {
            section.refuse("baseURL", "\(error)")
            return nil
        }
    }

    // MARK: How Apple is called

    private static func consumption(_ section: Section) -> Bool {
        guard let node = section.node("consumption") else { return false }
        if case .object = node.value {
            section.refuse(
                "consumption",
                #"a responder of our own doesn't exist yet in this version; "external" says that you answer Apple yourself"#
            )
            return false
        }
        guard let text = section.string("consumption", expecting: #""external""#) else { return false }
        if text != "external" { section.refuse("consumption", #"expects "external", or to be left out"#) }
        return text == "external"
    }

    private static func rate(_ section: Section, _ environment: Environment) -> GateRate {
        let standard = environment == .production ? 5 : 0.5
        let requests = section.number("requestsPerSecond", default: standard, in: 0.01...1000, "requests a second")
        let milliseconds = section.whole("guardMs", default: 25, in: 4...1000, "milliseconds")
        let rate = GateRate(requestsPerSecond: requests, guardMilliseconds: milliseconds)
        // The guard widens every window, so it takes from the rate.
        if rate.guardMicroseconds > rate.windowMicroseconds / 2 {
            let most = rate.windowMicroseconds / 2000
            section.refuse("guardMs", "would take more than a third of the rate; expects at most \(most) here")
        }
        section.finish()
        return rate
    }

    private static func retry(_ section: Section) -> RetryPolicy {
        let attempts = section.whole("maxAttempts", default: 250, in: 1...100_000, "attempts")
        let base = section.number("baseSeconds", default: 2, in: 0.01...86_400, "seconds")
        let cap = section.number("capSeconds", default: max(900, base), in: 0.01...86_400, "seconds")
        if cap < base {
            section.refuse("capSeconds", "is less than baseSeconds; the longest wait can't be shorter than the first")
        }
        let hours = section.number("giveUpAfterHours", default: 24, in: 0.001...8760, "hours")
        section.finish()
        return RetryPolicy(maxAttempts: attempts, baseSeconds: base, capSeconds: cap, giveUpAfterHours: hours)
    }

    private static func webhook(_ section: Section) -> String? {
        let url = section.string("webhook", expecting: "a URL")
        section.finish()
        guard let url, !SafeURL.isOne(url) else { return url }
        section.refuse("webhook", "expects \(SafeURL.expectation)")
        return nil
    }
}
