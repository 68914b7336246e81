import Cormorant
public import Foundation

/// What alerts and logs say of an error.
extension CormorantError: LocalizedError {
    public var errorDescription: String? { message }

    public var recoverySuggestion: String? { hint }
}
