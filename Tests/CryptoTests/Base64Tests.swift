import Crypto
import Testing

@Suite struct `Base64 in both alphabets` {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `writes and reads the vectors of RFC 4648`(plain: String, coded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == coded)
        #expect(Base64.decode(coded) == Array(plain.utf8))
        let bare = String(coded.prefix { $0 != "=" })
        #expect(Base64URL.encode(Array(plain.utf8)) == bare)
        #expect(Base64URL.decode(bare) == Array(plain.utf8))
    }

    @Test func `uses the URL's alphabet only where it should`() {
        #expect(Base64.encode([0xfb, 0xef, 0xff]) == "++//")
        #expect(Base64URL.encode([0xfb, 0xef, 0xff]) == "--__")
        #expect(Base64URL.decode("++//") == nil)
        #expect(Base64.decode("--__") == nil)
    }

    @Test func `gives back bytes of every length and value`() {
        for count in 0..<300 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: ["Zg==", "Zg=", "Z", "Zh", "Zm9", "Zm 8", "Zm8\n", "Zm8é", "=", "Zm9v\0"])
    func `without padding refuses padding, stray bits and foreign letters`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(arguments: ["Zg", "Zg=", "Zh==", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm=v"])
    func `with padding refuses missing or misplaced padding`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
