import CCormorant
import CormorantBase
import CormorantORM

@_cdecl("corm_arena_create") @implementation
public func corm_arena_create() -> OpaquePointer? { try? Handles.add(ScratchMemory()) }

@_cdecl("corm_arena_clear") @implementation
public func corm_arena_clear(_ arena: OpaquePointer?) { Handles.object(arena, as: ScratchMemory.self)?.reset() }

@_cdecl("corm_arena_free") @implementation
public func corm_arena_free(_ arena: OpaquePointer?) { Handles.remove(arena, as: ScratchMemory.self) }

@_cdecl("corm_arena_copy") @implementation
public func corm_arena_copy(_ arena: OpaquePointer?, _ data: UnsafeRawPointer?, _ size: Int) -> UnsafeMutablePointer<
    CChar
>? {
    // SQLite takes no longer texts either.
    guard size >= 0, size <= Int(Int32.max), data != nil || size == 0,
        let memory = Handles.object(arena, as: ScratchMemory.self)
    else {
        return nil
    }
    return (try? memory.checkedCopy(data, count: size))?
        .assumingMemoryBound(to: CChar.self)
}
