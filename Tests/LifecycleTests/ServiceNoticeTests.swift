import Foundation
import Lifecycle
import TestSupport
import Testing

@Suite struct ServiceNoticeTests {
    @Test func `words reach a socket that is a file`() async throws {
        try await withTemporaryFolder { folder in
            let ear = try NoticeListener(folder["notify"])
            ServiceNotice(address: ear.address).send("READY=1\nSTATUS=2 workers")
            #expect(ear.next() == "READY=1\nSTATUS=2 workers")
        }
    }

    #if os(Linux)
        @Test func `words reach a socket that is only a name`() throws {
            let ear = try NoticeListener("@kulanz-test-\(UUID().uuidString)")
            ServiceNotice(address: ear.address).send("STOPPING=1")
            #expect(ear.next() == "STOPPING=1")
        }
    #endif

    @Test(arguments: [nil, "", "/no/such/socket", String(repeating: "x", count: 200)])
    func `nobody listens, and nothing happens`(address: String?) {
        ServiceNotice(address: address).send("READY=1")
    }
}
