import CormorantPlatform
import CormorantQuery

/// The properties of an update as C strings, and its statement: a loop of updates does not look names up again.
package final class NamedUpdate {
    private let memory = ScratchMemory(firstSize: 256)
    private let names: [UnsafePointer<CChar>]
    package let planned: PlannedStatement

    package init(_ names: [String], _ planned: PlannedStatement) {
        self.names = names.map { [memory] in memory.copy($0) }
        self.planned = planned
    }

    package func matches(_ properties: UnsafePointer<UnsafePointer<CChar>?>, _ count: Int) -> Bool {
        guard count == names.count else { return false }
        for index in 0..<count {
            guard let name = properties[index], strcmp(name, names[index]) == 0 else { return false }
        }
        return true
    }
}
