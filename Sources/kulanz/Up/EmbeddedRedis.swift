import Configuration
import Foundation
import Lifecycle

/// The folder of the private Redis, as `kulanz up` holds it and as other commands find it.
enum EmbeddedRedis {
    private static func lock(in folder: String) -> String { "\(folder)/up.lock" }

    /// Makes the folder if it is missing, open to nobody else, and takes it for this process.
    static func claim(_ folder: String) throws {
        if !FileManager.default.fileExists(atPath: folder) {
            do {
                let parent = URL(filePath: folder).deletingLastPathComponent()
                try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            } catch {
                throw CommandFailure(
                    .configuration, "the folder \(folder) for the private Redis can't be made: \(reason(error))")
            }
        }
        do throws(FolderClaimError) {
            try FolderClaim.take(lock(in: folder))
        } catch {
            switch error {
            case .taken(let pid):
                let holder = pid > 0 ? "process \(pid)" : "another container"
                throw CommandFailure(
                    .tryAgain, "kulanz up runs on \(folder) already (\(holder)); one folder has one, end that one first"
                )
            case .forbidden, .impossible:
                throw CommandFailure(.configuration, "the folder \(folder) can't hold the private Redis: \(error)")
            }
        }
    }

    /// Says what is wrong if nobody keeps the private Redis of these settings alive.
    static func requireUp(_ settings: Settings) throws(CommandFailure) {
        guard let folder = settings.redis.embedded else { return }
        do throws(FolderClaimError) {
            guard try FolderClaim.holder(lock(in: folder)) == nil else { return }
        } catch {
            throw CommandFailure(
                .unreachable,
                "the private Redis in \(folder) belongs to another user (\(error)); run this as the user of kulanz up")
        }
        throw CommandFailure(
            .unreachable,
            "the private Redis in \(folder) isn't running; start “kulanz up” with this configuration and leave it running"
        )
    }

    private static func reason(_ error: any Error) -> String {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        return (underlying ?? error as NSError).localizedDescription
    }
}
