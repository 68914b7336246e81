import Cormorant
import Foundation
import Testing

/// Steps that fail or misbehave, and files that do not fit them.
struct HostileBundleTests {
    private let database: Database
    private var bundle = MigrationBundle()

    init() throws {
        database = try formerDatabase()
        try bundle.add(MigrationStep("1_first", up: .sql("CREATE TABLE first (a)"), down: .sql("DROP TABLE first")))
        try bundle.add(MigrationStep("2_second", up: .sql("CREATE TABLE second (a)"), down: .sql("DROP TABLE second")))
    }

    private func with(_ id: String, _ action: MigrationStep.Action) throws -> MigrationBundle {
        var bundle = bundle
        try bundle.add(MigrationStep(id, up: action))
        return bundle
    }

    /// Applies a third step that cannot be, and sees that nothing of it stays.
    @discardableResult
    private func refused(
        _ code: ErrorCode?, _ action: MigrationStep.Action, location: SourceLocation = #_sourceLocation
    ) throws -> any Error {
        try database.apply(bundle)
        let bundle = try with("3_third", action)
        let before = try Contents(database)
        let failure = #expect(throws: (any Error).self, sourceLocation: location) { try database.apply(bundle) }
        if let code {
            #expect((failure as? CormorantError)?.code == code, "\(failure as Any)", sourceLocation: location)
        }
        #expect(database.transactionDepth == 0, sourceLocation: location)
        #expect(try Contents(database) == before, sourceLocation: location)
        #expect(try database.query("PRAGMA foreign_keys").map(\.values) == [[1]], sourceLocation: location)
        #expect(try database.status(bundle).map(\.state) == [.applied, .applied, .pending], sourceLocation: location)
        #expect(
            try database.apply(with("3_third", .sql("CREATE TABLE third (a)"))) == ["3_third"], sourceLocation: location
        )
        return try #require(failure)
    }

    @Test func aFunctionThatEndsItsTransactionIsRefused() throws {
        let functions: [@Sendable (Database) throws -> Void] = [
            { try $0.commit() }, { try $0.rollback() }, { try $0.close() }, { try $0.begin() },
            {
                try $0.begin(); throw CancellationError()
            },
        ]
        for function in functions {
            let test = try HostileBundleTests()
            try test.refused(
                nil,
                .function { database in
                    _ = try database.deleteAll(Former.Singer.self)
                    try function(database)
                })
        }
    }

    @Test func aFunctionThatMigratesIsRefused() throws {
        try refused(.transaction, .function { _ = try $0.sync(Person.self) })
    }

    @Test func theErrorOfAFunctionComesAsItIs() throws {
        struct Stop: Error {}
        let error = try refused(
            nil,
            .function { database in
                _ = try database.deleteAll(Former.Singer.self)
                throw Stop()
            })
        #expect(error is Stop)
    }
}
