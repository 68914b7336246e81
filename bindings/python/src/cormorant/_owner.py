"""What stands for one thing outside of Python, of which no copies can be made."""

from __future__ import annotations

from typing import ClassVar, NoReturn


class Owner:
    """Base of classes whose objects own something of the library: copy, deepcopy and pickle refuse them."""

    # What to do in place of copying.
    _instead: ClassVar[str]

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled ({self._instead})")
