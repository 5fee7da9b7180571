import Crypto
import Testing

@Suite struct `A digest` {
    @Test func `in hex is read back, in either case, and nothing else is`() {
        let bytes = (0...255).map { UInt8($0) }
        #expect([UInt8](hex: bytes.hex) == bytes)
        #expect([UInt8](hex: bytes.hex.uppercased()) == bytes)
        #expect(bytes.hex.hasPrefix("000102") && bytes.hex.hasSuffix("fdfeff") && [UInt8](hex: "") == [])
        for text in ["0", "0g", "g0", " 00", "0:", "/0", "0@", "`0", "00é"] { #expect([UInt8](hex: text) == nil) }
    }

    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ])
    func `of SHA-1 is that of FIPS 180`(text: String, expected: String) {
        #expect(Digest.sha1(Array(text.utf8)).hex == expected)
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `of SHA-256 is that of FIPS 180`(text: String, expected: String) {
        #expect(Digest.sha256(Array(text.utf8)).hex == expected)
    }

    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func `with a key is that of RFC 4231, an empty key included`(key: [UInt8], message: String, expected: String) {
        #expect(Digest.hmacSHA256(key: key, message: Array(message.utf8)).hex == expected)
    }
}

@Suite struct `Random bytes` {
    @Test func `are as many as asked for and differ each time`() {
        #expect(randomBytes(0) == [])
        #expect(randomBytes(33).count == 33)
        #expect(randomBytes(16) != randomBytes(16))
    }
}
