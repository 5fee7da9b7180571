import Refunds
import Testing

@Suite struct AnswerTests {
    @Test(
        arguments: [
            (200, #"{"signedTransactionInfo":"a.b.c"}"#, nil, true),
            (200, #"{"signedTransactionInfo":"a.b.c","signedRenewalInfo":"d.e.f","new":[1]}"#, nil, true),
            (200, #"{"signedTransactionInfo":null}"#, nil, false), (200, "{}", nil, false), (200, "", nil, false),
            (200, "<html>", nil, false), (202, #"{"signedTransactionInfo":"a.b.c"}"#, nil, false),
            (400, #"{"errorCode":4000181,"errorMessage":"The transaction has pending refunds."}"#, 4_000_181, false),
            (400, #"{"errorCode":"4000181"}"#, nil, false), (400, #"{"errorCode":4000181.0}"#, nil, false),
            (401, "Unauthenticated\nRequest ID: X", nil, false), (500, "", nil, false), (400, "[4000181]", nil, false),
        ] as [(Int, String, Int64?, Bool)])
    func `only what is really there is read from a body`(
        _ status: Int, _ body: String, _ code: Int64?, _ isReadable: Bool
    ) {
        let answer = Answer.reading(status: status, retryAfter: [], date: nil, json: try? JSON(reading: body))
        #expect(
            answer
                == .response(status: status, errorCode: code, retryAfter: [], date: nil, isReadable200: isReadable))
    }
}
