// async throws -> Void' to parameter expecting synchronous function type
import Cormorant

let stepThatWaits = MigrationStep("1", up: .function { try await $0.delete(Artist(id: 1, name: "x")) })
