/// The compiled forms of a query, made when first needed and shared by its copies.
final class CompiledForms: @unchecked Sendable {  // `lock` guards `forms`
    enum Form: Int, CaseIterable {
        case all
        case first
        case count
        case exists
    }

    /// One for all, held for as long as a form is looked up: a lock for each query would cost more than it saves.
    private static let lock = RecursiveLock()
    private var forms: [CompiledStatement?] = []

    func form(_ form: Form, _ compile: () throws -> CompiledStatement) throws -> CompiledStatement {
        if let ready = locked({ forms.isEmpty ? nil : forms[form.rawValue] }) { return ready }
        let made = try compile()
        locked {
            if forms.isEmpty { forms = Array(repeating: nil, count: Form.allCases.count) }
            forms[form.rawValue] = made
        }
        return made
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        CompiledForms.lock.lock()
        defer { CompiledForms.lock.unlock() }
        return body()
    }
}
