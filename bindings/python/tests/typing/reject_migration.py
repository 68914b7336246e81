"""What type checkers must refuse of migrations: every line marked `# error` and no other. Never run."""

from cormorant import Bundle, Column, Database, Model, Plan, Progress, Schema, VersionStep, column


class Person(Model, table="people"):
    name: Column[str] = column(renamed_from=5)  # error
    age: Column[int | None] = column(convert_sql=b"1", default=None)  # error


class Plain:
    pass


def count(progress: Progress) -> int:
    return progress.done


def wants_more(db: Database, more: int) -> None:
    pass


db = Database("file.db")
db.sync(Plain)  # error
db.sync([Person])  # error
db.sync(Person, progress=count("x"))  # error
db.sync(Person, progress=lambda progress: "no")  # error
db.sync(Person, allow_drop=5)  # error
db.plan(Person, progress=True)  # error
db.plan(Person).steps[0].unknown  # error
if db.plan(Person).risk == "safe":
    db.version = 5  # error
Schema.of(db)  # error
Schema.parse(b"CREATE TABLE a (x)")  # error
Plan.between(db, Schema.of())  # error
bundle = Bundle(5)  # error
bundle.add("1")  # error
bundle.add("1", 5)  # error
bundle.add("1", wants_more)  # error
bundle.apply("file.db")  # error
bundle.revert(db)  # error
bundle.status(db)[0].finished.year  # error
VersionStep("1", "SELECT 1")  # error
db.set_version([(1, "SELECT 1")])  # error
