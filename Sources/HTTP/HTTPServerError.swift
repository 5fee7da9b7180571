import Foundation

/// Why a server could not start.
package enum HTTPServerError: Error, Hashable {
    /// The host is neither an address nor a name of this machine.
    case unknownHost(String)
    /// The address can't be listened on: taken, not ours, or not allowed (`errno`).
    case cannotListen(host: String, port: UInt16, errno: Int32)
    case alreadyStarted
    /// libmicrohttpd was built without TLS.
    case cannotSecure
}

extension HTTPServerError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownHost(let host): "can't listen on \(host): not an address of this machine"
        case .cannotListen(let host, let port, let code):
            "can't listen on \(host) port \(port): \(String(cString: strerror(code)))"
        case .alreadyStarted: "the server was started before"
        case .cannotSecure: "this machine's libmicrohttpd was built without TLS"
        }
    }
}
