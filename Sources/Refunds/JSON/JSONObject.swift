/// The members of a JSON object in the order in which they were written, each key once.
package struct JSONObject: Sendable, Hashable {
    package struct Member: Sendable, Hashable {
        package let key: String
        package var value: JSON
    }

    package private(set) var members: [Member]

    package init() {
        members = []
    }

    /// The caller has made sure that no key comes twice.
    init(unique members: [Member]) {
        self.members = members
    }

    /// Members whose value is nil are left out; of equal keys the last wins.
    package init(_ pairs: KeyValuePairs<String, JSON?>) {
        members = []
        members.reserveCapacity(pairs.count)
        for (key, value) in pairs {
            if let value { self[key] = value }
        }
    }

    package var keys: [String] { members.map(\.key) }
    package var isEmpty: Bool { members.isEmpty }

    /// Setting nil removes the member; a new key goes to the end.
    package subscript(key: String) -> JSON? {
        get { members.first { $0.key == key }?.value }
        set {
            let index = members.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}
