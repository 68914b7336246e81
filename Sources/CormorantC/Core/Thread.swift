import CCormorant
import CormorantORM
import CormorantSQLite
import CormorantThreads

@_cdecl("corm_thread_id") @implementation
public func corm_thread_id() -> Int64 { currentThread().pointee.id }

@_cdecl("corm_thread_cancel") @implementation
public func corm_thread_cancel(_ handle: OpaquePointer?, _ thread: Int64) {
    (try? database(handle))?.cancel(thread)
}

@_cdecl("corm_thread_resume") @implementation
public func corm_thread_resume() { Threads.resume() }
