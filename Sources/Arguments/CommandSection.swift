/// Commands that belong together, under the heading that help gives them.
package struct CommandSection: Sendable {
    package let title: String
    package let commands: [any Command.Type]

    package init(_ title: String, _ commands: [any Command.Type]) {
        self.title = title
        self.commands = commands
    }
}
