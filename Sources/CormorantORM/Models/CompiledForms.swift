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
    private static let lock = RecursiveLock(.compiledForms, outlivesForks: true)
    /// Those of each dialect behind one another, by which they are asked for.
    private var forms: [CompiledStatement?] = []
    /// For rows of several records, by their model.
    private var rows: (model: ModelDescriptor, dialect: Int, form: CompiledStatement)?

    package init() {}

    package func form(
        _ form: Form, _ dialect: Dialect, _ compile: () throws -> CompiledStatement
    ) throws -> CompiledStatement {
        let place = dialect.rawValue * Form.allCases.count + form.rawValue
        if let ready = locked({ place < forms.count ? forms[place] : nil }) { return ready }
        let made = try compile()
        locked {
            if place >= forms.count {
                let count = (dialect.rawValue + 1) * Form.allCases.count
                forms += Array(repeating: nil, count: count - forms.count)
            }
            forms[place] = made
        }
        return made
    }

    /// The form that gives the rows of a model, the last that was asked for.
    package func rows(
        of model: ModelDescriptor, _ dialect: Dialect, _ compile: () throws -> CompiledStatement
    ) throws -> CompiledStatement {
        let number = dialect.rawValue
        if let ready = locked({ rows?.model === model && rows?.dialect == number ? rows?.form : nil }) { return ready }
        let made = try compile()
        // What goes is released after the lock.
        let former = locked {
            let former = rows
            rows = (model, number, made)
            return former
        }
        return withExtendedLifetime(former) { made }
    }

    /// Forgets them, because the statement has changed.
    package func removeAll() {
        let former = locked {
            let former = rows
            if !forms.isEmpty { forms = [] }
            rows = nil
            return former
        }
        withExtendedLifetime(former) {}
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        CompiledForms.lock.lock()
        defer { CompiledForms.lock.unlock() }
        return body()
    }
}
