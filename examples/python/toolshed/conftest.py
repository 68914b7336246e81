"""The database of each test is a copy of one that is made once."""

import pytest

from fill import fill
from store import open_shed


@pytest.fixture(scope="session")
def cormorant_template(cormorant_template):
    with open_shed(cormorant_template) as db:
        fill(db)
    return cormorant_template
