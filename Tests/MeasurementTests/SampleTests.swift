import Measurement
import Testing

@Suite struct SampleTests {
    @Test func `there is no sample without a value`() { #expect(Sample([]) == nil) }

    @Test(
        arguments: [([3], 3), ([1, 2], 1.5), ([9, 1, 5], 5), ([4, 1, 3, 2], 2.5), ([2, 2, 2, 100], 2)]
            as [([Double], Double)])
    func `the median is the middle value, or the mean of the two in the middle`(values: [Double], median: Double)
        throws
    {
        #expect(try #require(Sample(values)).median == median)
    }

    @Test(
        arguments: [(0, 10), (0.01, 10), (0.2, 10), (0.21, 20), (0.5, 30), (0.8, 40), (0.99, 50), (1, 50)]
            as [(Double, Double)])
    func `a percentile is the smallest measured value that so many don't exceed`(share: Double, value: Double) throws {
        #expect(try #require(Sample([50, 10, 40, 20, 30])).percentile(share) == value)
    }

    @Test func `of a hundred values the 99th is the second largest`() throws {
        let sample = try #require(Sample((1...100).shuffled().map(Double.init)))
        #expect(sample.percentile(0.99) == 99)
        #expect(sample.percentile(0.5) == 50)
    }

    @Test func `the order of measuring is kept, and the extremes are known`() throws {
        let sample = try #require(Sample([2, 3, 1]))
        #expect(sample.values == [2, 3, 1])
        #expect(sample.least == 1)
        #expect(sample.most == 3)
    }
}
