import CUv

/// What a C handle calls: kept by the handle itself until it is closed.
///
/// The owner (a timer, a watch) may be released on any thread, while the loop is just about to call: then the call
/// finds this still alive. Released in the handle's close callback, on the loop.
final class LoopCallback<Event> {
    private let body: (Event) -> Void

    init(_ body: @escaping (Event) -> Void) { self.body = body }

    /// The pointer for a handle's `data`; the close callback gives it back.
    func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    static func call(_ data: UnsafeMutableRawPointer?, _ event: Event) {
        guard let data else { return }
        Unmanaged<LoopCallback<Event>>.fromOpaque(data).takeUnretainedValue().body(event)
    }
}
