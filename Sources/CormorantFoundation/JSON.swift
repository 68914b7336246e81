import Foundation

/// A `Codable` value in a JSON column.
///
/// ```swift
/// @Model struct Event {
///     @Key var id: Int64?
///     var place: JSON<Place>
/// }
/// ```
///
/// A value that cannot be encoded, and a document that cannot be decoded, are errors that name the column.
public struct JSON<Content: Codable>: CustomColumnValue {
    /// What the document says.
    public var content: Content

    /// A document of a value.
    public init(_ content: Content) { self.content = content }

    public init(stored: JSONText) throws {
        do {
            content = try JSONDecoder().decode(Content.self, from: Data(stored.text.utf8))
        } catch let error as DecodingError {
            throw JSONProblem(error)
        }
    }

    public var stored: JSONText {
        get throws {
            let encoder = JSONEncoder()
            // One value gives one text, whatever the order its dictionaries are walked in.
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            do {
                return JSONText(String(decoding: try encoder.encode(content), as: UTF8.self))
            } catch let error as EncodingError {
                throw JSONProblem(error)
            }
        }
    }
}

/// In a document of a `Codable` record stands the content, with nothing around it.
extension JSON: Codable {
    public init(from decoder: any Decoder) throws { content = try decoder.singleValueContainer().decode(Content.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(content)
    }
}

extension JSON: Sendable where Content: Sendable {}
extension JSON: Equatable where Content: Equatable {}
extension JSON: Hashable where Content: Hashable {}

/// Where a document differs from its type, or a value is none of JSON. Foundation's errors would also show values, which
/// messages do not.
private struct JSONProblem: Error, CustomStringConvertible {
    let description: String

    init(_ error: EncodingError) {
        guard case .invalidValue(_, let context) = error, !context.codingPath.isEmpty else {
            description = "it is no value of JSON"
            return
        }
        description = "it holds no value of JSON at \(context.codingPath.map(\.stringValue).joined(separator: "."))"
    }

    init(_ error: DecodingError) {
        let (what, context) =
            switch error {
            case .typeMismatch(let type, let context): ("it holds no \(type)", context)
            case .valueNotFound(let type, let context): ("it holds null, not \(type)", context)
            case .keyNotFound(let key, let context): ("it has no \"\(key.stringValue)\"", context)
            case .dataCorrupted(let context): ("it holds no such value", context)
            @unknown default: ("it does not fit its type", DecodingError.Context(codingPath: [], debugDescription: ""))
            }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        description = path.isEmpty ? what : "\(what) at \(path)"
    }
}
