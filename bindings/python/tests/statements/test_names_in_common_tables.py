"""What the columns of common tables are, and what names mean in them."""

from __future__ import annotations

from decimal import Decimal

from cormorant import Column, Database, Model, all_of, case, column, func, name, select


class Price(Model, table="price"):
    amount: Column[Decimal]
    label: Column[str]


class Kind(Model, table="kind"):
    id: Column[int] = column(primary_key=True)
    checked: Column[bool | None]


class Document(Model, table="document"):
    id: Column[int] = column(primary_key=True)
    kind_id: Column[int]
    body: Column[str]
    size: Column[int]


def filled() -> Database:
    db = Database(":memory:")
    db.create_tables(Price)
    # As texts they are in the other order.
    db.insert_many([Price(Decimal("10"), "10"), Price(Decimal("9"), "9")])
    return db


def test_a_column_is_called_by_a_list_before_a_star() -> None:
    amounts = select(Price.amount.label("v"))
    greatest = select(func.max(name("q", "m"))).from_("q")
    with filled() as db:
        for stars in (
            greatest.with_("z", amounts).with_("q", select().from_("z"), ["m"]),
            greatest.with_("q", select().from_(amounts.subquery("s")), ["m"]),
            greatest.with_("z", amounts).with_("y", select().from_("z"), ["k"]).with_("q", select().from_("y"), ["m"]),
        ):
            assert db.fetch_values(stars) == ["10"]


def test_names_mean_in_a_common_table_what_they_mean_where_it_stands() -> None:
    numbers = select(Price.amount.label("v"))
    texts = select(Price.label.label("v"))
    least = select(name("a", "v").label("v")).from_("a").with_("b", texts).order_by(name("a", "v")).limit(1)
    outer = select(name("s", "v")).from_(least.subquery("s"))
    with filled() as db:
        assert db.fetch_values(outer.with_("b", numbers).with_("a", select(name("b", "v").label("v")).from_("b"))) == [
            "9"
        ]


def test_a_case_that_guards_what_it_holds_stays_one() -> None:
    with Database(":memory:") as db:
        db.create_tables(Kind, Document)
        db.insert_many([Kind(1, True), Kind(2, None)])
        db.execute("INSERT INTO document VALUES (1, 1, '{\"a\":1}', 2), (2, 2, 'no JSON', 2)")
        guard = case(
            (Kind.checked.is_not_null(), all_of(func.json_extract(Document.body, "$.a") == 1, Document.size == 2))
        )
        assert db.fetch_values(select(Document.id).join(Kind, Kind.id == Document.kind_id).where(guard)) == [1]
