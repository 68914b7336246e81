import CormorantBase
import CormorantPlatform

/// A pipe whose reading end can be waited for. Used under its owner's lock.
package final class EventSignal {
    package let descriptor: Int32
    private let writer: Int32
    private var isSet = false

    package init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw CormorantError(
                .io, "a pipe cannot be made: \(String(cString: strerror(errno)))",
                hint: "close files that are no longer used")
        }
        descriptor = ends[0]
        writer = ends[1]
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(descriptor)
        close(writer)
    }

    package func set() {
        if isSet { return }
        isSet = true
        var byte: UInt8 = 1
        _ = write(writer, &byte, 1)
    }

    package func clear() {
        guard isSet else { return }
        isSet = false
        var bytes: (UInt64, UInt64) = (0, 0)
        while read(descriptor, &bytes, 16) == 16 {}
    }
}
