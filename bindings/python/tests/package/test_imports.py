"""The check that keeps the modules of the package free of circles."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

CHECK = Path(__file__).resolve().parents[4] / "scripts" / "check-imports"


@pytest.fixture(scope="module")
def check() -> Any:
    spec = spec_from_loader("check_imports", SourceFileLoader("check_imports", str(CHECK)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "back",
    [
        "from .a import x",
        "from . import a",
        "import package.a",
        "from package import a",
        "def f():\n    from .a import x",
        "if TYPE_CHECKING:\n    x = 1\nelse:\n    from .a import x",
    ],
)
def test_a_circle_is_named(check: Any, tmp_path: Path, back: str) -> None:
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("from .a import x\n")
    (package / "a.py").write_text("from .inner.b import x\n")
    (package / "inner" / "__init__.py").write_text("")
    (package / "inner" / "b.py").write_text("from .. import c\n")
    (package / "c.py").write_text(back + "\n")
    circle = check.python_circle(package)
    assert circle[0] == circle[-1]
    assert set(circle) == {"package.a", "package.inner.b", "package.c"}
    assert "package.a -> package.inner.b" in " -> ".join(circle + circle[1:])


def test_what_type_checkers_import_is_no_circle(check: Any, tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("from .a import x\n")
    (package / "a.py").write_text("from . import b\n")
    (package / "b.py").write_text("import os\nif TYPE_CHECKING:\n    from .a import x\n")
    assert check.python_circle(package) == []
