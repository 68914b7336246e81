/// How visible a declaration is, the least first. As text it is what code has before a keyword.
enum Access: Int, Comparable, CustomStringConvertible {
    /// And `private`, where the model's code is none of the type's own.
    case `fileprivate`
    case `internal`
    case `package`
    case `public`

    var description: String {
        switch self {
        case .fileprivate: "fileprivate "
        case .internal: ""
        case .package: "package "
        case .public: "public "
        }
    }

    static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }
}

extension Declaration {
    /// nil where it says nothing of it.
    var access: Access? {
        for modifier in modifiers {
            switch modifier {
            case "public": return .public
            case "package": return .package
            case "internal": return .internal
            case "fileprivate", "private": return .fileprivate
            default: continue
            }
        }
        return nil
    }
}
