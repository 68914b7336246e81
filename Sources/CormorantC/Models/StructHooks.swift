import CCormorant
import CormorantBase
import CormorantORM

/// The program's functions that are called around writes of a model's structs.
final class StructHooks: Sendable {
    /// A function that says whether the field of a column is as it should be.
    struct Validator {
        let column: Int
        let offset: Int
        let size: Int
        let call: corm_validator
        let context: UnsafeMutableRawPointer?
    }

    nonisolated(unsafe) let calls: corm_record_hooks
    nonisolated(unsafe) let validators: [Validator]
    let kind: RecordHookKind

    /// - Returns: nil where the definition has none.
    init?(_ definition: corm_model_def, _ columns: [corm_column_def]) throws {
        calls = try definition.hooks.map { try readStruct($0, $0.pointee.struct_size, "corm_record_hooks") } ?? .init()
        validators = columns.enumerated().compactMap { index, column in
            column.validate.map {
                Validator(
                    column: index, offset: column.offset, size: column.size, call: $0, context: column.validate_context)
            }
        }
        let isFilledIn = { (column: corm_column_def) in
            column.computed_sql != nil || column.version || column.stamp == CORM_STAMP_UPDATED
        }
        if let column = columns.first(where: { $0.validate != nil && isFilledIn($0) }) {
            let name = try optionalString(definition.name, "model name") ?? ""
            let property = try optionalString(column.name, "property name") ?? ""
            throw CormorantError(
                .model, "\(name).\(property) has a validator, and the database fills the column in",
                hint: "look at what the program writes, or give the column a check", columns: [property])
        }
        let around = [
            calls.before_insert, calls.after_insert, calls.before_update, calls.after_update, calls.before_save,
            calls.after_save, calls.before_delete, calls.after_delete,
        ]
        // Of a model without structs the binding calls the hooks that it says are there.
        if around.contains(where: { $0 != nil }) || definition.record_size == 0 && definition.hooks != nil {
            kind = .all
        } else if calls.validate != nil || !validators.isEmpty {
            kind = .validators
        } else {
            return nil
        }
    }
}
