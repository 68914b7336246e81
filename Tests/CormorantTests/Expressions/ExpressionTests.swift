import Cormorant
import Testing

/// Each operator as SQL, its values bound.
struct ExpressionTests {
    private let person = Person.Columns(recordSource: TableSource())

    @Test func comparisons() throws {
        try expectSQL(person.age == 35, #""age" = ?"#, [35])
        try expectSQL(person.age != 35, #""age" <> ?"#, [35])
        try expectSQL(person.age < 35, #""age" < ?"#, [35])
        try expectSQL(person.age <= 35, #""age" <= ?"#, [35])
        try expectSQL(person.age > 35, #""age" > ?"#, [35])
        try expectSQL(person.age >= 35, #""age" >= ?"#, [35])
        try expectSQL(person.name == person.city, #""name" = "city""#)
        try expectSQL(person.city == person.name, #""city" = "name""#)
        try expectSQL(person.name < person.city, #""name" < "city""#)
        try expectSQL(person.age == parameter("age"), #""age" = ?"#, [.null])
    }

    @Test func nullIsComparedByIs() throws {
        try expectSQL(person.city == nil, #""city" IS NULL"#)
        try expectSQL(person.city != nil, #""city" IS NOT NULL"#)
        let none: String? = nil
        try expectSQL(person.city == none, #""city" IS NULL"#)
        let some: String? = "Rome"
        try expectSQL(person.city == some, #""city" = ?"#, ["Rome"])
        try expectSQL(person.city.isDistinct(from: "Rome"), #""city" IS NOT ?"#, ["Rome"])
        try expectSQL(person.city.isNotDistinct(from: none), #""city" IS ?"#, [.null])
        try expectSQL(person.city.isDistinct(from: person.name), #""city" IS NOT "name""#)
    }

    @Test func logicStandsInParenthesesWhereItMust() throws {
        let (young, old) = (person.age < 18, person.age > 65)
        try expectSQL(young || old, #""age" < ? OR "age" > ?"#, [18, 65])
        try expectSQL((young || old) && person.city == nil, #"("age" < ? OR "age" > ?) AND "city" IS NULL"#, [18, 65])
        try expectSQL(!(young || old), #"NOT ("age" < ? OR "age" > ?)"#, [18, 65])
        try expectSQL(!young, #"NOT "age" < ?"#, [18])
        try expectSQL(
            SQLExpression.all([young, old, person.city == nil]), #""age" < ? AND "age" > ? AND "city" IS NULL"#,
            [18, 65])
        try expectSQL(SQLExpression.any([]), "0")
        try expectSQL(SQLExpression.all([]), "1")
    }

    @Test func arithmeticAndBits() throws {
        try expectSQL(person.age + 1, #""age" + ?"#, [1])
        try expectSQL((person.age - 1) * 2, #"("age" - ?) * ?"#, [1, 2])
        try expectSQL(person.age / 2 % 3, #""age" / ? % ?"#, [2, 3])
        try expectSQL(-person.age, #"- "age""#)
        try expectSQL(person.age & 2 == 0, #""age" & ? = ?"#, [2, 0])
        try expectSQL(((person.age | 1) << 3) >> 1, #""age" | ? << ? >> ?"#, [1, 3, 1])
        try expectSQL(~person.age, #"~ "age""#)
        try expectSQL(person.age.magnitude(), #"abs("age")"#)
        try expectSQL(person.age.read(as: Double.self) * 1.5, #""age" * ?"#, [1.5])
        try expectSQL(person.id + person.id, #""id" + "id""#)
    }

    @Test func text() throws {
        try expectSQL(person.name + ", " + person.name, #""name" || ? || "name""#, [", "])
        try expectSQL(person.name.hasPrefix("50%_\\"), #""name" LIKE ? ESCAPE '\'"#, [#"50\%\_\\%"#])
        try expectSQL(person.name.hasSuffix("a"), #""name" LIKE ? ESCAPE '\'"#, ["%a"])
        try expectSQL(person.name.contains("a"), #""name" LIKE ? ESCAPE '\'"#, ["%a%"])
        try expectSQL(person.name.like("A%"), #""name" LIKE ?"#, ["A%"])
        try expectSQL(person.name.notLike("A%"), #""name" NOT LIKE ?"#, ["A%"])
        try expectSQL(person.name.glob("A*"), #""name" GLOB ?"#, ["A*"])
        try expectSQL(person.city.lowercased() == "rome", #"lower("city") = ?"#, ["rome"])
        try expectSQL(person.name.collate("NOCASE") == "ada", #""name" COLLATE "NOCASE" = ?"#, ["ada"])
        try expectSQL(person.name.length() > 3, #"length("name") > ?"#, [3])
        try expectSQL(person.city ?? "?", #"coalesce("city", ?)"#, ["?"])
        try expectSQL(person.city ?? person.name, #"coalesce("city", "name")"#)
    }

    @Test func severalValues() throws {
        try expectSQL(person.age.isBetween(18, 65), #""age" BETWEEN ? AND ?"#, [18, 65])
        try expectSQL(person.age.isIn([1, 2]), #""age" IN (?, ?)"#, [1, 2])
        try expectSQL(person.age.isIn([]), #""age" IN ()"#)
        try expectSQL(!person.age.isIn(1...2), #"NOT "age" IN (?, ?)"#, [1, 2])
        let many = person.age.isIn(0..<100_000)
        #expect(try many.sql.text == #""age" IN (SELECT value FROM corm_values(?))"#)
        #expect(try many.sql.bindings.count == 100_000)
    }

    @Test func casesCastsAndRawSQL() throws {
        try expectSQL(
            when(person.age < 18, "child").when(person.age < 65, person.name).otherwise("old"),
            #"CASE WHEN "age" < ? THEN ? WHEN "age" < ? THEN "name" ELSE ? END"#, [18, "child", 65, "old"])
        try expectSQL(when(person.age < 18, 1).end(), #"CASE WHEN "age" < ? THEN ? END"#, [18, 1])
        try expectSQL(
            person.age.when(18, "young").when(parameter("old"), "old").otherwise(person.name),
            #"CASE "age" WHEN ? THEN ? WHEN ? THEN ? ELSE "name" END"#, [18, "young", .null, "old"])
        try expectSQL(person.age.cast(to: String.self), #"CAST("age" AS TEXT)"#)
        let odd: SQLExpression<Bool> = raw("age % ? = 1", [2])
        try expectSQL(odd && person.city == nil, #"(age % ? = 1) AND "city" IS NULL"#, [2])
        expectError(.sql) { try raw("1); DROP TABLE person; --", as: Int.self).sql }
        expectError(.binding) { try raw("?", [1, 2], as: Int.self).sql }
    }

    @Test func functions() throws {
        try expectSQL(count(), "count(*)")
        try expectSQL(person.city.count().distinct(), #"count(DISTINCT "city")"#)
        try expectSQL(
            person.age.sum().filter(person.city == "Rome"), #"sum("age") FILTER (WHERE "city" = ?)"#, ["Rome"])
        try expectSQL(person.name.joined(separator: "/"), #"group_concat("name", ?)"#, ["/"])
        try expectSQL(
            call("strftime", SQLExpression("%Y"), person.city, as: String?.self), #"strftime(?, "city")"#, ["%Y"])
        try expectSQL(
            call("row_number", as: Int64.self).over(
                .partition(by: person.city).order(by: person.age.desc(), person.id)),
            #"row_number() OVER (PARTITION BY "city" ORDER BY "age" DESC, "id")"#)
        try expectSQL(
            person.age.sum().over(SQLWindow.order(by: person.id).frame("ROWS 1 PRECEDING")),
            #"sum("age") OVER (ORDER BY "id" ROWS 1 PRECEDING)"#)
        expectError(.misuse) { try person.age.distinct().sql }
        expectError(.misuse) { try call("drop table", as: Int.self).sql }
        expectError(.misuse) { try person.age.sum().over(.order(by: person.id).frame("ROWS); --")).sql }
    }

    @Test func columnsByName() throws {
        try expectSQL(person.column("age", as: Int?.self) > 3, #""age" > ?"#, [3])
        let error = expectError(.misuse) { try person.column("nam", as: String.self).sql }
        #expect(error?.hint == "did you mean name?")
    }

    @Test func aChainOfConditionsMayBeLongAndAnExpressionNotDeep() throws {
        let many = (0..<10_000).map { person.age == $0 }
        #expect(try SQLExpression.any(many).sql.bindings.count == 10_000)
        let deep = (0..<10_000).reduce(person.age) { sum, _ in sum + 1 }
        expectError(.misuse) { try deep.sql }
    }
}
