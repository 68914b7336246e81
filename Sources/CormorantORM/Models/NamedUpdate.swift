import CormorantPlatform
import CormorantQuery

/// The properties of an update as the caller lists them, and its statement: a loop of updates does not look names up again.
package final class NamedUpdate {
    private let memory = ScratchMemory(firstSize: 256)
    private let list: UnsafePointer<CChar>
    package let planned: PlannedStatement

    package init(_ list: UnsafePointer<CChar>, _ planned: PlannedStatement) {
        self.list = memory.copy(String(cString: list))
        self.planned = planned
    }

    package func matches(_ list: UnsafePointer<CChar>) -> Bool { strcmp(list, self.list) == 0 }
}
