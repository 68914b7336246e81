import CCormorant
import CormorantORM
import CormorantQuery

extension ModelDescriptor {
    /// What a model says of a column in C.
    func info(of index: Int, _ layout: StructLayout?, _ memory: ScratchMemory) -> UnsafePointer<corm_model_column> {
        let column = columns[index]
        var info = corm_model_column()
        info.property = memory.copy(column.name)
        info.name = memory.copy(column.column)
        info.type = typeNumber(column.type)
        info.key_position = UInt32((keyColumns.firstIndex(of: index) ?? -1) + 1)
        info.is_nullable = column.isOptional
        info.is_unsigned = column.isUnsigned
        if case .varchar(let length) = column.type { info.length = UInt32(clamping: length) }
        if let scale = column.scale { info.scale = scale == 0 ? .max : UInt32(clamping: scale) }
        if let (field, place, choices) = layout?.field(of: index) {
            (info.offset, info.size, info.field) = (place, field.size, field.cType)
            if !choices.isEmpty {
                let list = memory.allocateArray(of: corm_choice.self, count: choices.count)
                for (index, choice) in choices.enumerated() {
                    (list + index).initialize(to: corm_choice(name: memory.copy(choice.name), value: choice.value))
                }
                (info.choices, info.choice_count) = (UnsafePointer(list), choices.count)
            }
        }
        return memory.keep(info)
    }
}

extension StructLayout {
    /// The field of a column, where it lies, and its choices; nil where it lies in a record that is pointed to.
    fileprivate func field(of column: Int) -> (field: Field, place: Int, choices: [Choice])? {
        if let field = fields.first(where: { $0.column == column && $0.kind != .nested }) {
            return (field, field.offset, choices[column])
        }
        for part in nested where !part.isPointer && part.model.columns.indices.contains(column - part.first) {
            guard let outer = fields.first(where: { $0.column == part.first && $0.kind == .nested }),
                let (field, place, choices) = part.layout.field(of: column - part.first)
            else { return nil }
            return (field, outer.offset + place, choices)
        }
        return nil
    }
}
