/// How to run a simulator.
package struct SimulatorOptions: Sendable {
    package var host = "127.0.0.1"
    /// 0 takes any free one; `start` tells which.
    package var port: UInt16 = 0
    package var scenario = Scenario()
    /// Where the journal goes; a file that is there is appended to.
    package var journalPath: String?
    /// Whether the journal goes to standard output, too.
    package var printsJournal = false
    /// Where the PEM of the certificate chain's root goes.
    package var rootPath: String?
    /// A folder for the private keys of the apps that have none in the scenario, so that a client can be tried at once.
    package var credentialsFolder: String?

    /// With it the simulator speaks HTTPS: a folder for its own certificate authority, which the next start takes up.
    package var tlsFolder: String?

    package init() {}
}
