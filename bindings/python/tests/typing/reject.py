"""What type checkers must refuse: every line marked `# error` and no other. Never run."""

from cormorant import Column, Database, Model, column, key


class Person(Model, table="people"):
    name: Column[str]
    age: Column[int | None] = column(default=None)
    id: Column[int | None] = column(primary_key=True, default=None)


class Wrong(Model):
    a: Column[int] = column(default="text")  # error
    d: Column[int] = 5  # error
    b: Column[int] = column(default=1, on_delete="explode")  # error
    c: Column[int] = column(default=1, type="varchar2")  # error


class Boat(Model):
    id: Column[int] = key()
    name: Column[str]


class Plain:
    pass


Person()  # error
Boat("Ann", id=3)  # error
Boat(3, "Ann")  # error
Person("Ann", "35")  # error
Person("Ann", years=35)  # error

ann = Person("Ann")
ann.name = 5  # error
ann.name = None  # error
ann.unknown  # error
length: int = ann.name  # error
len(ann.age)  # error
ann.changes(3)  # error
column(stamp="first")  # error
Person.name.upper()  # error

db = Database("file.db", mode="append")  # error
db.find(Plain, 1)  # error
db.insert("Ann")  # error
db.insert(ann, "skip")  # error
db.insert_many([ann, Plain()])  # error
db.find(Person, 1).name  # error
db.fetch_all(Person, bindings=5)  # error
for person in db.cursor(Person):
    person.unknown  # error
for row in db.cursor(Person).tuples():
    row.name  # error
db.page_count(Person)  # error
db.transaction("later")  # error
