/// What a subscription yields.
package enum RedisMessage: Sendable, Hashable {
    /// Every channel of the subscription that was not refused is heard from here on. What happened before it may have been missed.
    case subscribed
    /// The connection was lost and is back. Bells that rang in between were missed: look for yourself.
    case resubscribed
    case message(channel: String, payload: [UInt8])
    /// The server refuses a channel (NOPERM, for instance); the others go on.
    case refused(channel: String, RedisServerError)
}

/// A channel by kind: a plain one and a sharded one of the same name are different channels to Redis.
struct RedisChannel: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case plain, sharded }

    let kind: Kind
    let name: String
}
