"""What few programs use is imported when it is first used: `import cormorant` is part of the start of each program."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """A method of a class that is a function of a module, which is imported when the method is first asked for."""

    def __init__(self, owner: type, name: str, module: str) -> None:
        self._owner = owner
        self._name = name
        self._module = module

    def __get__(self, instance: object, owner: type) -> Any:
        function = getattr(import_module(self._module, __package__), self._name)
        # From now on it is found without this.
        setattr(self._owner, self._name, function)
        return function.__get__(instance, owner)


def add_methods(owner: type, module: str, *names: str) -> None:
    """Gives a class those functions of a module, by its name in this package, as methods."""
    for name in names:
        setattr(owner, name, Later(owner, name, module))
