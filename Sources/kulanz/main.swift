import Foundation

exit(await Front.perform(Array(CommandLine.arguments.dropFirst())).rawValue)
