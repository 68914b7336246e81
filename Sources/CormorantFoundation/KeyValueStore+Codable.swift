import Cormorant

/// `Codable` values in stores, as texts of JSON.
///
/// ```swift
/// try settings.put("window", content: Window(width: 800, height: 600))
/// let window = try settings.content("window", as: Window.self)
/// ```
extension KeyValueReader {
    /// The value of a key, decoded; nil where there is none. One that is no JSON, or another type's, is an error that says where.
    @available(*, noasync)
    public func content<Content: Codable>(_ key: String, as type: Content.Type) throws -> Content? {
        try entry(key).map { try decoded($0) }
    }

    /// The same for `async` code.
    public func content<Content: Codable & Sendable>(_ key: String, as type: Content.Type) async throws -> Content? {
        try await entry(key).map { try decoded($0) }
    }

    private func decoded<Content: Codable>(_ entry: KeyValueEntry) throws -> Content {
        guard case .text(let text) = entry.value else {
            throw unfit(entry.key, "holds no text", "read it as it is, with value(_:)")
        }
        do {
            return try JSON<Content>(stored: JSONText(text)).content
        } catch {
            throw unfit(entry.key, "\(error)", "put what the type decodes, or read it as it is, with value(_:)")
        }
    }
}

extension KeyValueStore {
    /// Writes a value as JSON in place of what the key has.
    /// - Parameters:
    ///   - key: the key.
    ///   - content: what is written.
    ///   - expires: when the entry stops being there, as `expiry(after:)` gives it; nil for never.
    @available(*, noasync)
    public func put<Content: Codable>(_ key: String, content: Content, expires: Int64? = nil) throws {
        try put(key, json: encoded(key, content), expires: expires)
    }

    /// The same for `async` code.
    public func put<Content: Codable>(_ key: String, content: Content, expires: Int64? = nil) async throws {
        try await put(key, json: encoded(key, content), expires: expires)
    }

    private func encoded<Content: Codable>(_ key: String, _ content: Content) throws -> String {
        do {
            return try JSON(content).stored.text
        } catch {
            throw unfit(key, "\(error)", "mend the value")
        }
    }
}

private func unfit(_ key: String, _ problem: String, _ hint: String) -> CormorantError {
    CormorantError(.json, "the value of the key \"\(key)\": \(problem)", hint: hint)
}
