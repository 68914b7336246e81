"""The four tables of the demo for Python; models.h and swift/Sources/demo/Models.swift describe the same ones."""

from cormorant import Column, Model, column, key


class Section(Model):
    name: Column[str] = column(primary_key=True)


class Maintainer(Model):
    id: Column[int] = key()
    name: Column[str] = column(unique=True)


class Package(Model):
    name: Column[str] = column(primary_key=True)
    version: Column[str]
    section: Column[str] = column(references=Section, on_delete="cascade")
    maintainer_id: Column[int] = column(references=Maintainer, on_delete="cascade")
    priority: Column[str]
    installed_size: Column[int | None] = column(check="installed_size >= 0")  # in KB
    essential: Column[bool]
    summary: Column[str]
    note: Column[str | None] = column(default=None)


class Dependency(Model):
    """What a package asks for; of "a | b" both are here. found: the installed package that gives it."""

    package: Column[str] = column(primary_key=True, references=Package, on_delete="cascade")
    position: Column[int] = column(primary_key=True)
    kind: Column[str]
    target: Column[str]
    wanted_version: Column[str | None]
    found: Column[str | None] = column(references=Package, on_delete="set_null", index=True)


MODELS = (Section, Maintainer, Package, Dependency)
