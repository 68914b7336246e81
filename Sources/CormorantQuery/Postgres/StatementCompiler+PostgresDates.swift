import CormorantBase

/// SQLite's functions of dates and times, of columns and of what is known when the statement is made.
/// Source of their words: https://www.sqlite.org/lang_datefunc.html
extension StatementCompiler {
    func write(date call: Call, _ name: String) throws {
        var arguments = call.arguments[...]
        switch name {
        case "strftime":
            guard case .value(.text(let format), _)? = arguments.popFirst()?.node else {
                throw lacksInPostgres(
                    "strftime() of a format that is not known before", hint: "give the format as a text")
            }
            let parts = try dateParts(format)
            let moment = Array(arguments)
            if parts.allSatisfy({ if case .text = $0 { true } else { false } }) {
                try write("CASE WHEN ", moment, name, " IS NOT NULL THEN ")
                if case .text(let text)? = parts.first { bind(.value(.text(text)), as: .text) } else { sql += "''" }
                return sql += " END"
            }
            if parts.count > 1 { sql += "(" }
            for (index, part) in parts.enumerated() {
                if index > 0 { sql += " || " }
                switch part {
                case .text(let text): bind(.value(.text(text)), as: .text)
                case .format(let format): try write("to_char(", moment, name, ", '\(format)')")
                case .day: try write("lpad(to_char(", moment, name, ", 'FMDD'), 2)")
                case .seconds:
                    // To the millisecond, but never to the next minute.
                    try write(
                        "to_char(least(date_trunc('milliseconds', ", moment, name, " + interval '500 microseconds'), ")
                    try write("date_trunc('minute', ", moment, name, ") + interval '59.999 seconds'), 'SS.MS')")
                case .number(let start, let end): try write("CAST(\(start)", moment, name, "\(end) AS text)")
                }
            }
            if parts.count > 1 { sql += ")" }
        case "date": try write("to_char(", Array(arguments), name, ", 'YYYY-MM-DD')")
        case "time": try write("to_char(", Array(arguments), name, ", 'HH24:MI:SS')")
        case "datetime": try write("to_char(", Array(arguments), name, ", 'YYYY-MM-DD HH24:MI:SS')")
        case "unixepoch":
            try write("CAST(floor(extract(epoch FROM ", Array(arguments), name, ")) AS bigint)")
        case "julianday":
            try write(
                "CAST(2440587.5 + extract(epoch FROM ", Array(arguments), name, ") / 86400.0 AS double precision)")
        default: throw lacksInPostgres("\(name)()", hint: "subtract the times in the program")
        }
    }

    private enum DatePart {
        case text(String)
        /// As to_char() has it.
        case format(String)
        /// Of the month, with a blank before one digit.
        case day
        /// With their thousandths.
        case seconds
        case number(start: String, end: String)
    }

    private func dateParts(_ format: String) throws -> [DatePart] {
        var parts: [DatePart] = []
        func add(_ next: DatePart) {
            if case .text(let text) = next, case .text(let last)? = parts.last {
                parts[parts.count - 1] = .text(last + text)
            } else {
                parts.append(next)
            }
        }
        var rest = format[...]
        while let character = rest.popFirst() {
            guard character == "%" else {
                add(.text(String(character)))
                continue
            }
            switch rest.popFirst() {
            case "%": add(.text("%"))
            case "d": add(.format("DD"))
            case "e": add(.day)
            case "f": add(.seconds)
            case "F": add(.format("YYYY-MM-DD"))
            case "H": add(.format("HH24"))
            case "I": add(.format("HH12"))
            case "j": add(.format("DDD"))
            case "m": add(.format("MM"))
            case "M": add(.format("MI"))
            case "p": add(.format("AM"))
            case "R": add(.format("HH24:MI"))
            case "s": add(.number(start: "CAST(floor(extract(epoch FROM ", end: ")) AS bigint)"))
            case "S": add(.format("SS"))
            case "T": add(.format("HH24:MI:SS"))
            case "u": add(.format("ID"))
            case "w": add(.number(start: "CAST(extract(dow FROM ", end: ") AS integer)"))
            case "Y": add(.format("YYYY"))
            case "G": add(.format("IYYY"))
            case "V": add(.format("IW"))
            case let other:
                throw lacksInPostgres(
                    "strftime() with %\(other.map { String($0) } ?? "")", hint: "make the text in the program")
            }
        }
        return parts
    }

    /// Writes a time, in UTC and without a zone, with its modifiers.
    private func write(_ start: String, _ arguments: [Expression], _ name: String, _ end: String) throws {
        sql += start
        var modifiers: [Modification] = []
        for argument in arguments.dropFirst() {
            guard case .value(.text(let modifier), _) = argument.node,
                let written = modification(foldIdentifier(modifier))
            else {
                throw lacksInPostgres(
                    "\(name)() with such a modifier", hint: "give '+1 day', 'start of month' or the like as a text")
            }
            modifiers.append(written)
        }
        // Reckoned with, times are of milliseconds.
        let rounds = modifiers.first?.leavesRange ?? start.hasSuffix("FROM ")
        func moment() throws {
            for modifier in modifiers.reversed() { sql += modifier.start }
            if rounds { sql += "date_trunc('milliseconds', " }
            try write(moment: arguments.first, name)
            if rounds { sql += " + interval '500 microseconds')" }
            for modifier in modifiers { sql += modifier.end }
        }
        guard modifiers.contains(where: { $0.leavesRange }) else {
            try moment()
            return sql += end
        }
        // Beyond 9999 SQLite has NULL. Years before 1 have a sign there and an era here: an error, of the range.
        sql += "CASE WHEN "
        try moment()
        sql += " < timestamp '0001-01-01' THEN CAST(to_char("
        try moment()
        sql += ", '\"0000-00-00\"') AS timestamp) WHEN "
        try moment()
        sql += " < timestamp '10000-01-01' THEN "
        try moment()
        sql += " END" + end
    }

    private func write(moment expression: Expression?, _ name: String) throws {
        guard let expression else { return sql += "(statement_timestamp() AT TIME ZONE 'UTC')" }
        if case .value(.text(let text), nil) = expression.node {
            if sameIdentifier(text, "now") { return sql += "(statement_timestamp() AT TIME ZONE 'UTC')" }
            var text = text
            guard let time = text.withUTF8({ Timestamp(parsing: $0) }) else {
                throw lacksInPostgres("\(name)() of such a text", hint: "give a time, or a column of times")
            }
            sql += "("
            bind(.value(.text(time.description)), as: .timestamptz)
            return sql += " AT TIME ZONE 'UTC')"
        }
        switch postgresType(of: expression) {
        case .timestamptz:
            sql += "("
            try write(postgres: expression, at: .atom)
            sql += " AT TIME ZONE 'UTC')"
        case .date:
            sql += "CAST("
            try write(postgres: expression, at: .any)
            sql += " AS timestamp)"
        case .time where !["date", "datetime", "unixepoch", "julianday"].contains(name):
            // As of the day that SQLite gives a time alone.
            sql += "(timestamp '2000-01-01' + "
            try write(postgres: expression, at: .atom)
            sql += ")"
        case .text where isOffsetDatetime(expression):
            sql += "CAST(substr("
            try write(postgres: expression, at: .any)
            sql += ", 1, \(OffsetTimestamp.momentSize)) AS timestamp)"
        case .text:
            // What is no time is an error, where SQLite makes NULL of it.
            sql += "(CAST(regexp_replace("
            try write(postgres: expression, at: .any)
            sql += #", '^(?!\d{4}-\d\d-\d\d)', 'no date: ') AS timestamptz) AT TIME ZONE 'UTC')"#
        case let type:
            throw lacksInPostgres(
                "\(name)() of \(type?.title ?? "what has no type")", hint: "give it a column of times, or a cast to one"
            )
        }
    }

    private struct Modification {
        let start: String
        let end: String
        /// Whether it reckons, and may lead out of the years 1 to 9999.
        var leavesRange = false
    }

    private func modification(_ text: String) -> Modification? {
        switch text {
        case "start of month": return Modification(start: "date_trunc('month', ", end: ")")
        case "start of year": return Modification(start: "date_trunc('year', ", end: ")")
        case "start of day": return Modification(start: "date_trunc('day', ", end: ")")
        case "utc", "localtime": return nil
        default: break
        }
        let words = text.split(separator: Character(" "))
        guard words.count == 2, let count = Int(words[0]) else { return nil }
        let units = ["day", "days", "hour", "hours", "minute", "minutes", "second", "seconds"]
        guard units.contains(String(words[1])) else { return nil }
        return Modification(start: "(", end: " + interval '\(count) \(words[1])')", leavesRange: true)
    }
}
