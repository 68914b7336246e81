import Cormorant
import Observation

/// What a view shows: on the main actor, and as new as the last commit.
@MainActor @Observable
final class TrackStore {
    private(set) var tracks: [Track] = []
    private(set) var failure: String?
    private let database: Database
    private var following: Task<Void, Never>?

    init(_ database: Database) { self.database = database }

    /// Follows the query until `stop`. The first result comes at once.
    func start() {
        following = Task { [weak self, database] in
            do {
                for try await event in try await database.observeLive(Track.order { $0.title }) {
                    self?.tracks = event.rows
                }
            } catch {
                self?.failure = "\(error)"
            }
        }
    }

    func stop() { following?.cancel() }

    func add(_ title: String) async {
        do {
            _ = try await database.inserted(Track(title: title, seconds: 0))
        } catch {
            failure = "\(error)"
        }
    }
}

extension Recipes {
    @MainActor
    static func showStore() async throws {
        let store = TrackStore(try tracks(2))
        store.start()
        await store.add("Tide")
        while store.tracks.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
        store.stop()
        print(store.tracks.map(\.title), store.failure ?? "")
    }
}
