import Foundation
import TestSupport
import Testing

/// What holds for all pages together: their links lead somewhere, and the commands that they name exist.
@Suite struct DocumentationTests {
    static let root = URL(filePath: `The scripts`.checkout)

    /// Every page, relative to the checkout.
    static func pages() throws -> [String] {
        var pages: [String] = []
        for folder in ["", "docs", "docs/decisions", "runbooks", "docker", "config"] {
            let names = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
            pages += names.filter { $0.hasSuffix(".md") }.map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
        }
        return pages.sorted()
    }

    static func text(_ page: String) throws -> String {
        try String(contentsOf: root.appending(path: page), encoding: .utf8)
    }

    /// What a heading is called in a link, as the usual hosts make it.
    static func anchors(_ page: String) throws -> Set<String> {
        let headings = try text(page).matches(of: /(?m)^#+ (.+)$/).map { String($0.1).lowercased() }
        return Set(
            headings.map { heading in
                heading.replacing("&lt;", with: "").replacing("&gt;", with: "").replacing(" ", with: "-")
                    .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
            })
    }

    @Test func `every link to a file or a heading leads somewhere`() throws {
        let pages = try Self.pages()
        #expect(pages.count > 30)
        for page in pages {
            // Code is no link.
            let prose = try Self.text(page).replacing(/(?s)```.*?```/, with: "").replacing(/`[^`\n]*`/, with: "`")
            for link in prose.matches(of: /\]\(([^)\s]+)\)/).map({ String($0.1) }) where !link.contains("://") {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let folder = Self.root.appending(path: page).deletingLastPathComponent()
                let file = parts[0].isEmpty ? Self.root.appending(path: page) : folder.appending(path: parts[0])
                #expect(FileManager.default.fileExists(atPath: file.standardized.path), "\(page): \(link)")
                guard parts.count == 2, file.pathExtension == "md" else { continue }
                let target = String(file.standardized.path.dropFirst(Self.root.path.count + 1))
                #expect(try Self.anchors(target).contains(String(parts[1])), "\(page): \(link)")
            }
        }
    }

    @Test func `the list of documents and the list of decisions have each of them`() throws {
        let list = try Self.text("docs/README.md")
        let decisions = try Self.text("docs/decisions/README.md")
        for page in try Self.pages() where page.hasPrefix("docs/") && !page.hasSuffix("README.md") {
            let name = page.split(separator: "/").last ?? ""
            let isListed =
                page.hasPrefix("docs/decisions/") ? decisions.contains("(\(name))") : list.contains("(\(name)")
            #expect(isListed, "\(page)")
        }
    }

    /// Every call of `kulanz` in code on a page: the command is one, and so is each option.
    @Test func `every command and option that a page names exists`() async throws {
        var helps: [String: String] = [:]
        for line in try await output(of: Program.path, ["--help"]).lines {
            guard let found = line.wholeMatch(of: /[ ]{2}(\w[\w -]*?)[ ]{2,}.+/) else { continue }
            let words = String(found.1).split(separator: " ").map(String.init)
            helps[String(found.1)] = try await output(of: Program.path, words + ["--help"]).lines.joined(
                separator: "\n")
        }
        #expect(helps.count > 18)
        for page in try Self.pages() where page != "docs/decisions/README.md" {
            let calls = try Self.text(page).replacing("\\\n", with: " ")
                .matches(of: /(?:^|[\s`|])kulanz ([a-z][a-z -]*[^`|\n]*)/).map { String($0.1) }
            for call in calls {
                let words = call.split(separator: " ").map(String.init)
                let name = [2, 1].map { words.prefix($0).joined(separator: " ") }.first { helps[$0] != nil }
                guard let name, let help = helps[name] else { continue }
                for option in words.flatMap({ $0.matches(of: /^(--[a-z][a-z-]+)/).map { String($0.1) } }) {
                    #expect(help.contains("\(option) ") || help.contains("\(option)["), "\(page): \(name) \(option)")
                }
            }
        }
        let overview = try Self.text("docs/commands.md")
        for command in helps.keys { #expect(overview.contains("`\(command)`"), "docs/commands.md: \(command)") }
        let listed = overview.matches(of: /(?m)^\| `([a-z][a-z -]+)` \|/).map { String($0.1) }
        #expect(Set(listed) == Set(helps.keys))
    }
}
