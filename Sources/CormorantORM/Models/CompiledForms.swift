import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// The compiled forms of a statement, made when first needed and shared by its copies.
package final class CompiledForms: @unchecked Sendable {  // `lock` guards `forms`
    package enum Form: Int, CaseIterable {
        case all
        case first
        case count
        case exists
    }

    /// One for all, held for as long as a form is looked up: a lock for each statement would cost more than it saves.
    private static let lock = RecursiveLock(.compiledForms)
    private var forms: [CompiledStatement?] = []

    package init() {}

    package func form(_ form: Form, _ compile: () throws -> CompiledStatement) throws -> CompiledStatement {
        if let ready = locked({ forms.isEmpty ? nil : forms[form.rawValue] }) { return ready }
        let made = try compile()
        locked {
            if forms.isEmpty { forms = Array(repeating: nil, count: Form.allCases.count) }
            forms[form.rawValue] = made
        }
        return made
    }

    /// Forgets them, because the statement has changed.
    package func removeAll() { locked { if !forms.isEmpty { forms = [] } } }

    private func locked<Result>(_ body: () -> Result) -> Result {
        CompiledForms.lock.lock()
        defer { CompiledForms.lock.unlock() }
        return body()
    }
}
