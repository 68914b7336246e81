"""Trees as blocks: what is no tree is refused, whatever its bytes."""

from __future__ import annotations

import marshal
from typing import Any

import pytest
from music import Album

from cormorant import Error
from cormorant._native import abi
from cormorant._native import statement as native_statement
from cormorant._native.call import call_handle
from cormorant._native.handle import StatementHandle
from cormorant._native.library import library


def test_what_is_no_tree_is_refused() -> None:
    trees: list[Any] = [None, 1, "select", (), (abi.CORM_SELECT,), (abi.CORM_SELECT, None, None, [(99,)])]
    for tree in trees:
        with pytest.raises(Error) as caught:
            native_statement.make_statement(tree)
        assert caught.value.code == "CORM_E_MISUSE", tree


def test_a_tree_that_ends_early_is_refused() -> None:
    query = Album.where(Album.title == "x")
    whole = marshal.dumps(query._tree(), 2)
    for length in range(1, len(whole)):
        with pytest.raises(Error):
            call_handle(StatementHandle, library.corm_tree_statement, whole[:length], length)
