import CormorantORM

extension ScratchMemory {
    /// A struct that C borrows as long as this memory is there.
    func keep<Struct>(_ value: Struct) -> UnsafePointer<Struct> {
        let place = allocateArray(of: Struct.self, count: 1)
        place.initialize(to: value)
        return UnsafePointer(place)
    }
}

/// What a bad handle knows: a struct that stays.
struct EmptyInfo<Info>: @unchecked Sendable {  // never written, never freed
    let pointer: UnsafePointer<Info>

    init(_ info: Info) {
        let place = UnsafeMutablePointer<Info>.allocate(capacity: 1)
        place.initialize(to: info)
        pointer = UnsafePointer(place)
    }
}
