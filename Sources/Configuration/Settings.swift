/// Everything that the configuration says, checked. docs/configuration.md explains each key.
package struct Settings: Sendable {
    package let redis: RedisSettings
    /// In the order of the file; at least one.
    package let apps: [AppSettings]
    package let worker: WorkerSettings

    package func app(_ name: String) -> AppSettings? { apps.first { $0.name == name } }
}
