import Cormorant

extension Desk {
    /// What is out, the earliest day first.
    static var open: some RowQuery<(String, String, String)> {
        Loan.join(along: \.book).join(along: \.0.member)
            .where { loan, book, member in !loan.over }
            .order { loan, book, member in (loan.due, loan.id) }
            .select { loan, book, member in (book.title, member.name, loan.due) }
    }

    func printLoans() throws {
        for (title, name, due) in try database.fetchAll(Desk.open) { print("\(due) \(title) (\(name))") }
    }
}

extension Desk {
    /// Each member with what they have ever had, and how many books these are.
    func printMembers() throws {
        var members = try database.fetchAll(Member.order { $0.name })
        try database.load(\.loans, of: &members)
        let counts = try database.fetchAll(Member.order { $0.name }.select { $0.loans.count() })
        for (member, count) in zip(members, counts) {
            print("\(member.name): \(count) loans, the last due \(try member.loans.records.last?.due ?? "never")")
        }
    }
}
