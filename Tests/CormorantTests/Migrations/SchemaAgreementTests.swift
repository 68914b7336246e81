import CormorantQuery
import Foundation
import Testing

/// The parser against SQLite itself.
struct SchemaAgreementTests {
    @Test func randomTables() throws {
        let agreement = try SchemaAgreement()
        var accepted = 0
        for seed in 1...400 {
            var tables = RandomTables(seed: UInt64(seed))
            let pieces = tables.pieces()
            if try check(tables.join(pieces), agreement, "seed \(seed)") == .agreed { accepted += 1 }
        }
        #expect(accepted > 300, "of 400")
    }

    /// What SQLite accepts although it is damaged, the parser reads as SQLite does.
    @Test func damagedTables() throws {
        let agreement = try SchemaAgreement()
        var accepted = 0
        for seed in 1...1000 {
            var tables = RandomTables(seed: UInt64(seed))
            let pieces = tables.damaged(tables.pieces())
            if try check(tables.join(pieces), agreement, "seed \(seed)") == .agreed { accepted += 1 }
        }
        #expect(accepted > 100, "of 1000")
    }

    private func check(_ sql: String, _ agreement: SchemaAgreement, _ what: String) throws -> SchemaAgreement.Outcome {
        do {
            let outcome = try agreement.check(sql)
            if outcome == .unread, try agreement.accepts(sql), !isRefusedKnowingly(sql) {
                Issue.record("\(what): SQLite accepts what the parser refuses (\(refusal(sql))): \(sql)")
            }
            return outcome
        } catch {
            Issue.record("\(what): \(error): \(sql)")
            return .unread
        }
    }

    private func refusal(_ sql: String) -> String {
        do {
            _ = try SchemaParser.object(sql)
            return ""
        } catch {
            return error.message
        }
    }

    /// What SQLite takes and the parser does not, since no text of its own could say it: DEFERRABLE that changes another
    /// column's foreign key, GENERATED ALWAYS with nothing generated, and columns that a SELECT makes.
    private func isRefusedKnowingly(_ sql: String) -> Bool {
        ["REFERENCES before DEFERRABLE was", "AS was expected", "the list of columns, which a SELECT"]
            .contains { refusal(sql).hasPrefix($0) }
    }

    /// What the fuzz target begins with.
    @Test func corpus() throws {
        let agreement = try SchemaAgreement()
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("../Fuzz/Corpus").standardized
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files.count > 30)
        for file in files {
            let sql = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            _ = try check(sql, agreement, file)
        }
    }

    /// Every keyword in every place of a name: the parser takes it exactly where SQLite does.
    @Test(arguments: [
        "CREATE TABLE new(%)", "CREATE TABLE new(% INT)", "CREATE TABLE new(a, % CHECK (1))", "CREATE TABLE %(a)",
        "CREATE TABLE new(a %)", "CREATE TABLE new(a big %)", "CREATE TABLE new(a % UNIQUE)",
        "CREATE TABLE new(a DEFAULT %)",
        "CREATE TABLE new(a DEFAULT - %)", "CREATE TABLE new(a CONSTRAINT % CHECK (1))",
        "CREATE TABLE new(a, CONSTRAINT % CHECK (1))",
        "CREATE TABLE new(a REFERENCES %)", "CREATE TABLE new(a REFERENCES u(%))",
        "CREATE TABLE new(a REFERENCES u MATCH %)",
        "CREATE TABLE new(%, UNIQUE (% DESC))", "CREATE TABLE new(\"%\", FOREIGN KEY (%) REFERENCES u)",
        "CREATE TABLE main.%(a)",
        "CREATE TABLE new(a) %", "CREATE TABLE new(a) STRICT, %", "CREATE TABLE new(a AS (1) %, b)",
        "CREATE INDEX % ON t(a)",
        "CREATE VIEW % AS SELECT 1", "CREATE VIEW new(%) AS SELECT 1",
        "CREATE TRIGGER % DELETE ON t BEGIN SELECT 1; END",
        "CREATE TRIGGER new UPDATE OF % ON t BEGIN SELECT 1; END",
    ])
    func keywordsAsNames(_ form: String) throws {
        let agreement = try SchemaAgreement()
        for keyword in SQLKeyword.allCases {
            let sql = form.split(separator: "%", omittingEmptySubsequences: false).joined(separator: keyword.rawValue)
            let isRead = refusal(sql).isEmpty
            let isAccepted = try agreement.accepts(sql)
            if isRead != isAccepted, !isRefusedKnowingly(sql), !isOnlyRead(sql) {
                Issue.record(
                    "\(sql): \(isRead ? "read" : "not read"), \(isAccepted ? "accepted" : "refused") by SQLite")
            }
            if isRead { _ = try check(sql, agreement, keyword.rawValue) }
        }
    }

    /// Words that begin an expression of their own, and a name that SQLite 3.40 stores so that it cannot read it again.
    private func isOnlyRead(_ sql: String) -> Bool {
        let words = ["cast", "raise", "current_date", "current_time", "current_timestamp"]
        return sql == "CREATE TABLE main.if(a)"
            || words.contains { sql == "CREATE TABLE new(\($0), UNIQUE (\($0) DESC))" }
    }
}
