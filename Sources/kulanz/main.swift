import Lifecycle

endProcess(await Front.perform(Array(CommandLine.arguments.dropFirst())).rawValue)
