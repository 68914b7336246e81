"""What the shed does, and that its steps lead to its models."""

from datetime import date
from decimal import Decimal

import pytest

from models import MODELS
from shed import Refused, deposits, free_tools, give_back, lend, overdue

TODAY = date(2026, 4, 1)


def test_a_tool_goes_out_and_comes_back(cormorant_db):
    lend(cormorant_db, 3, 2, TODAY)
    assert free_tools(cormorant_db) == []
    give_back(cormorant_db, 3, TODAY)
    assert [tool.name for tool in free_tools(cormorant_db)] == ["drill"]


def test_a_tool_that_is_out_is_not_lent_again(cormorant_db):
    with pytest.raises(Refused, match="tool 1 is out"):
        lend(cormorant_db, 1, 2, TODAY)


def test_deposits_are_exact(cormorant_db):
    assert deposits(cormorant_db) == [("Ada", 2, Decimal("70.00"))]


def test_what_is_overdue_takes_one_statement(cormorant_db, cormorant_at_most):
    with cormorant_at_most(cormorant_db, 1):
        assert [(tool.name, member.name) for _, tool, member in overdue(cormorant_db, TODAY)] == [
            ("circular saw", "Ada")
        ]


def test_the_steps_lead_to_the_models(cormorant_db):
    assert not cormorant_db.plan(*MODELS)
