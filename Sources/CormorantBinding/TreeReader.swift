import CCormorant
import CormorantBase
import CormorantC
import CormorantORM
import CormorantQuery

/// Reads the nested tuples of tree.h.
struct TreeReader {
    let reader: MarshalReader
    /// How deep the tree has been read; beyond what an expression may have it is refused before the stack ends.
    private var depth = 0

    init(_ tree: UnsafeRawPointer?, _ size: Int) throws { reader = try MarshalReader(tree, size) }

    static func damaged() -> CormorantError {
        CormorantError(.misuse, "the block is no statement or expression", hint: "make it as tree.h says")
    }

    func int() throws -> Int32 {
        switch try reader.next() {
        case .integer(let integer):
            guard let small = Int32(exactly: integer) else { throw TreeReader.damaged() }
            return small
        case .bool(let bool): return bool ? 1 : 0
        default: throw TreeReader.damaged()
        }
    }

    func bool() throws -> Bool { try int() != 0 }

    func optionalText() throws -> String? {
        switch try reader.next() {
        case .none: return nil
        case .text(let bytes, let count), .bytes(let bytes, let count):
            guard let text = String(validating: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
            else { throw CormorantError(.encoding, "a name is not UTF-8", hint: "it holds a lone surrogate") }
            return text
        default: throw TreeReader.damaged()
        }
    }

    func text() throws -> String {
        guard let text = try optionalText() else { throw TreeReader.damaged() }
        return text
    }

    func list<T>(_ read: () throws -> T) throws -> [T] { try (0..<reader.sequence()).map { _ in try read() } }

    func values() throws -> [Value] {
        var index = 0
        return try list {
            index += 1
            return try reader.value("value \(index)")
        }
    }

    func optionalModel() throws -> ModelDescriptor? {
        switch try reader.next() {
        case .none: return nil
        case .bytes(let bytes, MemoryLayout<UInt>.size):
            return try requireModel(OpaquePointer(bitPattern: bytes.loadUnaligned(as: UInt.self))).descriptor
        default: throw TreeReader.damaged()
        }
    }

    func rowParts() throws -> [RowPart] {
        try list {
            if try none() { return .value }
            if let type = try type() { return .typed(type) }
            _ = try reader.sequence()
            guard case .bytes(let bytes, MemoryLayout<UInt>.size) = try reader.next() else {
                throw TreeReader.damaged()
            }
            let model = try requireModel(OpaquePointer(bitPattern: bytes.loadUnaligned(as: UInt.self)))
            return .record(model.descriptor, model.types, isOptional: try bool())
        }
    }

    /// The number of a type that comes next, below 0 for what is unsigned; nil where there is none.
    private func type() throws -> ColumnTypes.Column? {
        let start = reader.position
        guard case .integer(let number) = try reader.next() else {
            reader.position = start
            return nil
        }
        guard let type = corm_type(exactly: number.magnitude) else { throw TreeReader.damaged() }
        return ColumnTypes.Column(try columnType(type), isUnsigned: number < 0, isNotNull: false)
    }

    func model() throws -> ModelDescriptor {
        guard let model = try optionalModel() else { throw TreeReader.damaged() }
        return model
    }

    /// Whether None comes next, which is then read.
    func none() throws -> Bool {
        let start = reader.position
        if case .none = try reader.next() { return true }
        reader.position = start
        return false
    }

    mutating func optionalExpression() throws -> Expression? { try none() ? nil : try expression() }

    mutating func expressions() throws -> [Expression] {
        let count = try reader.sequence()
        var list: [Expression] = []
        for _ in 0..<count { list.append(try expression()) }
        return list
    }

    mutating func expression() throws -> Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Expression.greatestDepth else { throw tooDeep() }
        _ = try reader.sequence()
        return try node(int())
    }

    mutating func select() throws -> Select {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Expression.greatestDepth else { throw tooDeep() }
        return try statement().select()
    }
}
