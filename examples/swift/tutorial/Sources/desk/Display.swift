import Cormorant

extension Desk {
    /// Follows what is out, until the task is cancelled or the process ends.
    func follow() async throws {
        for try await event in try await database.observeLive(Desk.open) {
            print("out:", event.rows.map(\.0).joined(separator: ", "))
        }
    }
}
