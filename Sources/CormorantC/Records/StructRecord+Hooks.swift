import CCormorant
import CormorantBase
import CormorantORM

extension StructRecord {
    var hookKind: RecordHookKind { layout.hooks?.kind ?? .none }

    mutating func willWrite(_ write: inout RecordWrite, in database: Database) throws {
        guard let hooks = layout.hooks else { return }
        let calls = hooks.calls
        let before = write.columns == nil || hooks.kind == .validators ? nil : try copied(write.model).values
        switch write.kind {
        case .delete: return try call(calls.before_delete, "before_delete", write)
        case .save: try call(calls.before_save, "before_save", write)
        case .insert:
            try call(calls.before_save, "before_save", write)
            try call(calls.before_insert, "before_insert", write)
        case .update:
            try call(calls.before_save, "before_save", write)
            try call(calls.before_update, "before_update", write)
        }
        if let before { write.addChanges(from: before, to: try copied(write.model).values) }
        try validate(write)
    }

    mutating func didWrite(_ write: RecordWrite, in database: Database) throws {
        guard let calls = layout.hooks?.calls else { return }
        switch write.kind {
        case .delete: return try call(calls.after_delete, "after_delete", write)
        case .save: break
        case .insert: try call(calls.after_insert, "after_insert", write)
        case .update: try call(calls.after_update, "after_update", write)
        }
        try call(calls.after_save, "after_save", write)
    }

    mutating func undoing<Result>(_ write: (inout StructRecord) throws -> Result) throws -> Result {
        try withUnsafeTemporaryAllocation(byteCount: layout.size, alignment: 1) { before in
            before.copyMemory(from: UnsafeRawBufferPointer(start: base, count: layout.size))
            do {
                return try write(&self)
            } catch {
                // Hooks may have freed what other fields pointed to.
                let fields = hookKind == .all ? layout.filled : Array(layout.fields)
                for field in fields {
                    let place = UnsafeMutableRawBufferPointer(start: base + field.offset, count: field.size)
                    place.copyBytes(from: before[field.offset..<field.offset + field.size])
                }
                throw error
            }
        }
    }

    private func validate(_ write: RecordWrite) throws {
        guard let hooks = layout.hooks else { return }
        for validator in hooks.validators where write.writes(validator.column) {
            guard let field = layout.fields.first(where: { $0.column == validator.column }) else { continue }
            let at = UnsafeRawPointer(base + field.offset)
            if field.isNull(at) { continue }
            var error: OpaquePointer?
            let status = validator.call(at, validator.context, &error)
            if let refused = refusal(status, error) { throw write.refusal(of: validator.column, refused) }
        }
        guard let validate = hooks.calls.validate else { return }
        var error: OpaquePointer?
        let status = validate(base, hooks.calls.context, &error)
        if let refused = refusal(status, error) { throw write.refusal(of: nil, refused) }
    }

    /// What a validator failed with.
    private func refusal(_ status: corm_status, _ error: OpaquePointer?) -> CormorantError? {
        if error != nil { return failure(of: "the validator", status, error) }
        if status >= 0 { return nil }
        return CormorantError(
            .validation, "refused by its validator, with status \(status)",
            hint: "let it hand out an error of corm_error_create, which says why")
    }

    private func call(_ hook: corm_record_hook?, _ name: String, _ write: RecordWrite) throws {
        guard let hook else { return }
        let memory = try arena.map { try Handles.add($0) }
        defer { Handles.remove(memory, as: ScratchMemory.self) }
        var error: OpaquePointer?
        let status = hook(database, base, memory, layout.hooks?.calls.context, &error)
        if status < 0 || error != nil { throw failure(of: "the hook \(name) of \(write.model.name)", status, error) }
    }
}
