import CormorantPlatform

/// What libcormorant.so is linked to call in the place of the run time's own function, where that has asked for memory in vain: its own
/// makes the line that it prints in more memory, and reads through NULL where there is none.
@_cdecl("__wrap__ZN5swift28swift_abortAllocationFailureEmm")
public func endWithoutMemory(_ size: Int, _ alignment: Int) -> Never {
    let line: StaticString = "libcormorant: the system refused memory, and the process ends\n"
    _ = line.withUTF8Buffer { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    abort()
}
