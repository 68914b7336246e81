"""One account, on a server, for tests of sessions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cormorant import Column, Error, Model, column


class Account(Model):
    id: Column[int] = column(primary_key=True)
    owner: Column[str]
    balance: Column[int]


def fails(call: Callable[[], object], code: str) -> Error:
    with pytest.raises(Error) as caught:
        call()
    assert caught.value.code == code, caught.value
    return caught.value
