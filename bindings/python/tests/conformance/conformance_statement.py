"""Statements of conformance scenarios; Tests/Conformance/README.md says what they mean."""

from __future__ import annotations

import uuid
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

from conformance_expression import Expressions, held_by, values
from conformance_model import Json, members, value

from cormorant import Insert, Select, Subquery, ToMany, alias, delete, insert, select, table_function, update

SELECT = "select as with from join distinct columns where groupBy having compound orderBy after limit offset"
COMPOUNDS: Json = {
    "union": Select.union,
    "unionAll": Select.union_all,
    "intersect": Select.intersect,
    "except": Select.except_,
}


def filed(found: Any) -> Any:
    """A value of a row as the file holds it."""
    if isinstance(found, datetime) and found.utcoffset():
        # As a row of a moment in UTC does not tell of which type it is, scenarios have none with +00:00.
        return f"{found.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S.%f}Z[{found.isoformat()[-6:]}]"
    if isinstance(found, datetime):
        return found.strftime("%Y-%m-%d %H:%M:%S.%f")
    if isinstance(found, timedelta):
        return found // timedelta(microseconds=1)
    if isinstance(found, date | time | Decimal | uuid.UUID):
        return str(found)
    return int(found) if isinstance(found, bool) else found


def bindings_of(given: Any) -> list[Any]:
    """What `expect.bindings` says, as Statement.sql shows it."""
    if isinstance(given, dict):
        return values(given)
    return [(item["parameter"],) if isinstance(item, dict) and "parameter" in item else value(item) for item in given]


class Builder(Expressions):
    """Makes Python's statements of a scenario's."""

    def statement(self, given: Json) -> Any:
        for kind, make in (("insert", self.insert), ("update", self.update), ("delete", self.delete)):
            if kind in given:
                return make(given)
        return self.select(given)

    def select(self, given: Json) -> Any:
        members(given, SELECT, "a select")
        query = self.with_tables(self.started(given), given)
        query = self.joined(query, given)
        if given.get("distinct"):
            query = query.distinct()
        query = query.where(*self.expressions(given.get("where", [])))
        query = query.group_by(*self.expressions(given.get("groupBy", [])))
        query = query.having(*self.expressions(given.get("having", [])))
        for item in given.get("compound", []):
            ((operation, other),) = item.items()
            query = COMPOUNDS[operation](query, self.select(other))
        query = query.order_by(*self.expressions(given.get("orderBy", [])))
        if "after" in given:
            query = query.after([held_by(term, item) for term, item in zip(query._order, values(given["after"]))])
        for clause in ("limit", "offset"):
            if clause in given:
                query = getattr(query, clause)(self.operand(given[clause]))
        return query

    def started(self, given: Json) -> Any:
        """A query with its columns and first source."""
        columns = self.expressions(given.get("columns", []))
        source = self.model(given["select"], given.get("as")) if given["select"] else None
        if source and not columns:
            return select(source)
        query = select(*columns)
        if source:
            query = query.from_(source)
        if "from" not in given:
            return query
        source = self.source(given["from"])
        return query.from_(source, as_=self.name_of(source, given["from"]))

    def source(self, given: Json) -> Any:
        if "function" in given:
            arguments = self.expressions(given.get("arguments", []))
            return table_function(given["function"], *arguments, columns=[], name=given.get("as"))
        if "select" in given:
            return self.select(given["select"])
        return given["name"] if "name" in given else self.models[given["model"]]

    def name_of(self, source: Any, given: Json) -> str | None:
        return None if isinstance(source, Subquery) else given.get("as")

    def with_tables(self, statement: Any, given: Json) -> Any:
        for item in given.get("with", []):
            members(item, "name columns select", "with")
            statement = statement.with_(item["name"], self.select(item["select"]), item.get("columns", []))
        return statement

    def joined(self, query: Any, given: Json) -> Any:
        # What relations start from, by the name that the query has for it.
        sources: dict[str | None, Any] = {}
        if given["select"]:
            first = self.model(given["select"], given.get("as"))
            sources = {None: first, given.get("as", self.models[given["select"]].__model__.table): first}
        for item in given.get("join", []):
            name = item.get("as")
            kind = {} if item["kind"] in ("inner", "cross") else {item["kind"]: True}
            if "relation" in item:
                members(item, "kind relation from as", "join")
                relation = getattr(sources[item.get("from")], item["relation"])
                query = query.join(relation, as_=name, **kind)
                target = (relation if isinstance(relation, ToMany) else relation._relation())._target()
                sources[name or target.__model__.table] = alias(target, name) if name else target
                continue
            members(item, "kind model select name function arguments as on", "join")
            source = self.source(item)
            name = self.name_of(source, item)
            if item["kind"] == "cross":
                query = query.cross_join(source, as_=name)
            else:
                on = self.expression(item["on"]) if "on" in item else None
                query = query.join(source, on, as_=name, **kind)
        return query

    def assigned(self, change: Any, pairs: list[Any]) -> Any:
        """One call for each, as a keyword cannot be given twice in one."""
        give = change.values if isinstance(change, Insert) else change.set
        for name, given in pairs:
            change = give(**{name: self.operand(given)})
            give = change.values if isinstance(change, Insert) else change.set
        return change

    def insert(self, given: Json) -> Any:
        members(given, "insert with set values rows conflict upsert upsertSet returning", "an insert")
        change = self.assigned(self.with_tables(insert(self.models[given["insert"]]), given), given.get("set", []))
        if "values" in given:
            change = change.values([{name: self.operand(item) for name, item in row} for row in given["values"]])
        if "rows" in given:
            members(given["rows"], "properties select", "rows")
            change = change.from_select(given["rows"]["properties"], self.select(given["rows"]["select"]))
        if "conflict" in given:
            change = change.or_(given["conflict"])
        if "upsert" in given:
            conflict = change.on_conflict(given["upsert"])
            sets = {name: self.operand(value) for name, value in given.get("upsertSet", [])}
            change = conflict.do_update(**sets) if sets else conflict.do_nothing()
        return self.returning(change, given)

    def update(self, given: Json) -> Any:
        members(given, "update with from set conflict where returning", "an update")
        change = self.with_tables(update(self.models[given["update"]]), given)
        if "from" in given:
            source = self.source(given["from"])
            change = change.from_(source, as_=self.name_of(source, given["from"]))
        change = self.assigned(change, given.get("set", []))
        if "conflict" in given:
            change = change.or_(given["conflict"])
        return self.returning(change.where(*self.expressions(given.get("where", []))), given)

    def delete(self, given: Json) -> Any:
        members(given, "delete with where returning", "a delete")
        change = self.with_tables(delete(self.models[given["delete"]]), given)
        return self.returning(change.where(*self.expressions(given.get("where", []))), given)

    def returning(self, change: Any, given: Json) -> Any:
        return change.returning(*self.expressions(given["returning"])) if "returning" in given else change
