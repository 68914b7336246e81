import CormorantThreads
import Testing

#if DEBUG
    /// Debug builds stop where locks are taken in another order than `LockRank` has.
    struct LockOrderTests {
        @Test func aLockOutOfOrderStopsTheProgram() async throws {
            let result = try await #require(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) {
                let inner = RecursiveLock(.handles)
                let outer = RecursiveLock(.registry)
                inner.lock()
                outer.lock()
            }
            let message = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(message.contains("lock order: registry is taken under handles"))
        }

        @Test func aConnectionIsNotWaitedForUnderALock() async throws {
            let result = try await #require(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) {
                let inner = RecursiveLock(.database)
                inner.lock()
                _ = FairLock().lock(1)
            }
            let message = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(message.contains("lock order: connection is taken under database"))
        }

        @Test func locksInOrderAreTakenAgainAndLetGoInAnyOrder() async {
            await #expect(processExitsWith: .success) {
                let connection = FairLock()
                let (registry, database, handles) = (
                    RecursiveLock(.registry), RecursiveLock(.database), RecursiveLock(.handles)
                )
                _ = connection.lock(1)
                registry.lock()
                database.lock()
                registry.lock()
                // Tried only, which cannot wait for another thread.
                _ = FairLock().lock(0)
                registry.unlock()
                registry.unlock()
                handles.lock()
                database.unlock()
                handles.unlock()
                registry.lock()
            }
        }
    }
#endif
