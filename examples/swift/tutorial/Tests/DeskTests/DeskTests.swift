import Cormorant
import Testing

@testable import desk

@Suite struct DeskTests {
    let desk: Desk

    init() throws {
        desk = try Desk(path: ":memory:")
        try desk.add("Dune", by: "Frank Herbert")
    }

    @Test func aBookIsLentOnce() throws {
        try desk.lend("Dune", to: "Ada", until: "2026-12-01")
        let error = #expect(throws: CormorantError.self) {
            try desk.lend("Dune", to: "Ben", until: "2026-12-02")
        }
        #expect(error?.code == .unique)
        #expect(try desk.database.fetchAll(Member.all).map(\.name) == ["Ada"])
        try desk.takeBack("Dune")
        try desk.lend("Dune", to: "Ben", until: "2026-12-02")
        #expect(try desk.database.fetchCount(Loan.where { !$0.over }) == 1)
    }

    @Test func whatIsNotThereIsSaid() throws {
        #expect(throws: Desk.Failure.noSuchBook("Emma")) { try desk.lend("Emma", to: "Ada", until: "2026-12-01") }
        #expect(throws: Desk.Failure.notLent("Dune")) { try desk.takeBack("Dune") }
    }

    @Test(arguments: ["tomorrow", "2026-13-01", ""]) func aDayIsADay(due: String) throws {
        let error = #expect(throws: CormorantError.self) { try desk.lend("Dune", to: "Ada", until: due) }
        #expect(error?.code == .check)
    }
}
