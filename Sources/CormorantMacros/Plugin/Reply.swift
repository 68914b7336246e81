/// What the compiler is told.
enum Reply {
    case capability
    case expansion(String, [Diagnostic])

    /// The version of the messages that are understood here.
    private static let protocolVersion = 7

    var json: JSON {
        switch self {
        case .capability:
            let capability: [String: JSON] = [
                "protocolVersion": .number(Double(Self.protocolVersion)), "features": .array([]),
            ]
            return .object(["getCapabilityResult": .object(["capability": .object(capability)])])
        case .expansion(let code, let diagnostics):
            let result: [String: JSON] = [
                "expandedSource": .string(code), "diagnostics": .array(diagnostics.map(\.json)),
            ]
            return .object(["expandMacroResult": .object(result)])
        }
    }
}

/// An error or a warning at a place of the source.
struct Diagnostic {
    let message: String
    var isWarning = false
    /// nil: nowhere in a file.
    let range: SourceRange?

    fileprivate var json: JSON {
        let file = JSON.string(range?.source.file ?? "")
        let offset = range?.source.offset ?? 0
        let start = JSON.number(Double(offset + (range?.bytes.lowerBound ?? 0)))
        let end = JSON.number(Double(offset + (range?.bytes.upperBound ?? 0)))
        let highlight = JSON.object(["fileName": file, "startOffset": start, "endOffset": end])
        return .object([
            "message": .string(message), "severity": .string(isWarning ? "warning" : "error"),
            "position": .object(["fileName": file, "offset": start]),
            "highlights": .array(range == nil ? [] : [highlight]), "notes": .array([]), "fixIts": .array([]),
        ])
    }
}
