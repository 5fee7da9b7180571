package import HTTP

/// What carries one request to Apple and its answer back.
///
/// `HTTPClient` does. That it can be another one is for measurements: what a job costs without any network.
package protocol AppStoreTransport: Sendable {
    /// Puts the request on its way at most once; asks `mayDepart` immediately before its first byte.
    func exchange(
        _ request: HTTPRequest, deadline: Duration, mayDepart: @escaping @Sendable () -> Bool
    ) async -> (outcome: HTTPOutcome, timings: HTTPTimings)

    func warm(_ url: String) async
}

extension HTTPClient: AppStoreTransport {}
