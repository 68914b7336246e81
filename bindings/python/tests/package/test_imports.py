"""What is imported with the package, and the check that keeps its modules free of circles."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

import cormorant

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


def run(program: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(Path(cormorant.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment)
    return done.stdout


def test_what_few_programs_use_is_imported_when_it_is_used() -> None:
    program = """
import sys
import cormorant
late = {"asyncio", "concurrent.futures", "dataclasses", "inspect", "logging"}
late |= {f"cormorant.{name}" for name in ("migration", "observation", "plan", "queue", "registry")}
print(*sorted(late & set(sys.modules)))
"""
    assert run(program) == "\n"


def test_every_name_and_module_is_there_all_the_same() -> None:
    program = """
import cormorant
assert set(cormorant.__all__) <= set(dir(cormorant))
assert cormorant.queue.WriteQueue is cormorant.WriteQueue
assert cormorant.Database.sync is cormorant.migration.sync
from cormorant import *
print(Plan.__module__, Metadata.__module__, Database.observe.__module__)
try:
    cormorant.WriteQue
except AttributeError as error:
    print(error)
"""
    assert run(program) == (
        "cormorant.plan cormorant.metadata cormorant.observation\nmodule 'cormorant' has no attribute 'WriteQue'\n"
    )
