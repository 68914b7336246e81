import CormorantBase

/// The words that SQLite's grammar knows (https://www.sqlite.org/lang_keywords.html). Most of them are names all the
/// same wherever the grammar has no other use for them.
package enum SQLKeyword: String, CaseIterable, Sendable {
    case abort, action, add, after, all, alter, always, analyze, and, `as`, asc, attach, autoincrement
    case before, begin, between, by
    case cascade, `case`, cast, check, collate, column, commit, conflict, constraint, create, cross, current
    case currentDate = "current_date"
    case currentTime = "current_time"
    case currentTimestamp = "current_timestamp"
    case database, `default`, deferrable, deferred, delete, desc, detach, distinct, `do`, drop
    case each, `else`, end, escape, except, exclude, exclusive, exists, explain
    case fail, filter, first, following, `for`, foreign, from, full
    case generated, glob, group, groups, having
    case `if`, ignore, immediate, `in`, index, indexed, initially, inner, insert, instead, intersect, into, `is`, isnull
    case join, key, last, left, like, limit, match, materialized
    case natural, no, not, nothing, notnull, null, nulls
    case of, offset, on, or, order, others, outer, over
    case partition, plan, pragma, preceding, primary, query
    case raise, range, recursive, references, regexp, reindex, release, rename, replace, restrict, returning, right
    case rollback, row, rows
    case savepoint, select, set, table, temp, temporary, then, ties, to, transaction, trigger
    case unbounded, union, unique, update, using, vacuum, values, view, virtual
    case when, `where`, window, with, without

    /// Whether it can name a column or a table without quotes.
    package var canBeName: Bool { use != .reserved }

    /// Whether it can be a word of a column's type or a DEFAULT without quotes.
    package var canBeWord: Bool { use == .free }

    private enum Use {
        case reserved, name, free
    }

    private var use: Use {
        switch self {
        case .add, .all, .alter, .and, .as, .autoincrement, .between, .case, .check, .collate, .commit, .constraint,
            .create, .default, .deferrable, .delete, .distinct, .drop, .else, .escape, .except, .exists, .foreign,
            .from, .group, .having, .in, .index, .insert, .intersect, .into, .is, .isnull, .join, .limit, .not,
            .nothing, .notnull, .null, .on, .or, .order, .primary, .references, .returning, .select, .set, .table,
            .then, .to, .transaction, .union, .unique, .update, .using, .values, .when, .where:
            .reserved
        case .cross, .full, .indexed, .inner, .left, .natural, .outer, .right: .name
        default: .free
        }
    }

    /// The keyword that some bytes spell, in any case.
    static func find(_ word: ArraySlice<UInt8>) -> SQLKeyword? {
        guard word.count >= 2, word.count <= 17 else { return nil }
        for candidate in slots[slot(word)] where candidate.spelling.count == word.count {
            if zip(candidate.spelling, word).allSatisfy({ $0 == foldASCII($1) }) { return candidate.keyword }
        }
        return nil
    }

    private struct Entry {
        let spelling: [UInt8]
        let keyword: SQLKeyword
    }

    private static let slots: [[Entry]] = {
        var slots = [[Entry]](repeating: [], count: 256)
        for keyword in allCases {
            let spelling = Array(keyword.rawValue.utf8)
            slots[slot(spelling[...])].append(Entry(spelling: spelling, keyword: keyword))
        }
        return slots
    }()

    private static func slot(_ word: ArraySlice<UInt8>) -> Int {
        guard let first = word.first, let last = word.last else { return 0 }
        let second = word[word.startIndex + 1]
        let mixed =
            Int(foldASCII(first)) &* 5 &+ Int(foldASCII(second)) &* 11 &+ Int(foldASCII(last)) &* 3 &+ word.count
        return mixed & 255
    }
}
