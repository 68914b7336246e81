"""Relations by foreign keys of several columns, compared with records: every pair of what the columns hold."""

from __future__ import annotations

import itertools

from cormorant import Column, Database, Expression, Model, column, select, to_one

Key = tuple[int, int] | None


class Target(Model, table="target"):
    a: Column[int] = column(primary_key=True)
    b: Column[int] = column(primary_key=True)


class Reference(Model, table="reference"):
    id: Column[int] = column(primary_key=True)
    a: Column[int | None] = column(default=None)
    b: Column[int | None] = column(default=None)

    target = to_one(Target, columns=("a", "b"))


def test_a_key_of_which_a_part_is_null_leads_to_no_record_and_is_not_none_of_it() -> None:
    with Database(":memory:") as db:
        db.create_tables(Target, Reference)
        db.execute("CREATE INDEX reference_target ON reference (a, b)")
        targets = [Target(a, b) for a, b in itertools.product(range(3), repeat=2)]
        db.insert_many(targets)
        pairs = itertools.product([None, 0, 1, 2], repeat=2)
        references = [Reference(number, a, b) for number, (a, b) in enumerate(pairs)]
        db.insert_many(references)

        def read(condition: Expression[bool] | Expression[bool | None]) -> list[int]:
            return sorted(db.fetch_values(select(Reference.id).where(condition)))

        keys: list[tuple[int, Key]] = [(r.id, None if r.a is None or r.b is None else (r.a, r.b)) for r in references]

        def others(*without: Key) -> list[int]:
            return [number for number, found in keys if found not in without]

        for target in targets:
            key = (target.a, target.b)
            same = Reference.target == target
            assert read(same) == [number for number, found in keys if found == key]
            assert read(Reference.target != target) == others(None, key)
            assert read(~same) == others(None, key)
            assert read(~(same | (Reference.id == 15))) == [number for number in others(None, key) if number != 15]
            assert read(same.is_null()) == [number for number, found in keys if found is None]
            assert read(Reference.target.not_in([target, targets[0]])) == others(None, key, (0, 0))
            # An index still serves.
            assert "SEARCH" in str(db.explain(select(Reference.id).where(same)))
            assert "SCAN" not in str(db.explain(select(Reference.id).where(same | (Reference.target == targets[0]))))
