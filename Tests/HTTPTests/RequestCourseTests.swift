import Testing

@testable import HTTP

@Suite struct RequestCourseTests {
    private var answer: HTTPServerAction { .respond(status: 200) }

    private func words(_ step: RequestCourse.Step) -> String {
        switch step {
        case .read: "read"
        case .ask: "ask"
        case .sleep: "sleep"
        case .answer(let status, _, _): "answer \(status)"
        case .cut: "cut"
        }
    }

    @Test func `a request is read, asked about once, answered once`() {
        var course = RequestCourse(maxBodyBytes: 10)
        #expect(course.isNew)
        var steps = [words(course.headArrived(contentLength: 10, early: nil))]
        #expect(!course.isNew)
        steps += [words(course.bodyArrived(4)), words(course.bodyArrived(6)), words(course.proceed())]
        let wakes = [course.decide(answer), course.decide(.cut)]
        steps += [words(course.proceed()), words(course.proceed())]
        #expect(steps == ["read", "read", "read", "ask", "answer 200", "cut"])
        #expect(wakes == [true, false])
    }

    @Test(arguments: [(HTTPServerAction.cut, "cut"), (.hang, "sleep"), (.respond(status: 401), "answer 401")])
    func `an early action is carried out at once`(action: HTTPServerAction, step: String) {
        var course = RequestCourse(maxBodyBytes: 10)
        let taken = words(course.headArrived(contentLength: 1 << 40, early: action))
        #expect(taken == step)
    }

    @Test func `a body that is announced too large is refused, one that grows too large is cut`() {
        var announced = RequestCourse(maxBodyBytes: 10)
        let refused = words(announced.headArrived(contentLength: 11, early: nil))
        #expect(refused == "answer 413")
        var growing = RequestCourse(maxBodyBytes: 10)
        let steps = [
            words(growing.headArrived(contentLength: nil, early: nil)), words(growing.bodyArrived(10)),
            words(growing.bodyArrived(1)),
        ]
        #expect(steps == ["read", "read", "cut"])
    }

    @Test func `what hangs can only be cut`() {
        var course = RequestCourse(maxBodyBytes: 10)
        _ = course.headArrived(contentLength: nil, early: nil)
        _ = course.proceed()
        let wakesToHang = course.decide(.hang)
        #expect(!wakesToHang && course.isHanging)
        let wakesToAnswer = course.decide(answer)
        let end = words(course.proceed())
        #expect(wakesToAnswer && end == "cut")
    }
}
