"""The method of Database that shows its file in the browser, with the command corm that comes with the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from ._path import is_url
from .error import NotSupportedError, OperationalError, ProgrammingError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from .database import Database


class Studio:
    """A `corm studio` that runs, until close(), the end of its `with` block, or that of this program.

    url: the address of the page, with a secret; it can be opened once, in one browser of this machine.
    """

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self._process = process
        self.url = url

    def close(self) -> None:
        """Ends it. A second close does nothing."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Studio {self.url}{'' if self._process.poll() is None else ' closed'}>"

    def _repr_html_(self) -> str:
        """For notebooks, which make it a link."""
        return f'<a href="{self.url}" target="_blank" rel="noopener">{self.url}</a>'


def studio(database: Database, *, write: bool = False, open: bool = False) -> Studio:
    """Shows the file in the browser and prints the address of the page: rows, relations, changes as they happen, a
    diagram, SQL, health.

    It is `corm studio` in a process of its own: statements of the page hold up none of this program, and a mistake
    there ends nothing here. It shows what was committed. write: whether the page may change the file. open: whether
    the desktop's browser is started. An encrypted file asks for its key in the page.

    OperationalError: CORM_E_CANNOT_OPEN where corm is not there, or does not start. NotSupportedError for a database in
    memory, and for one of a server.
    """
    if is_url(database.path):
        raise NotSupportedError("corm studio shows SQLite files", hint="look at the server with a tool for it")
    # Where it was when it was opened, whatever the working folder is now.
    path = Path(database.fetch_value("SELECT file FROM pragma_database_list WHERE name = 'main'") or "")
    if not path.name or database.path.startswith("file:") or not path.exists():
        raise ProgrammingError(
            f"the database {database.path!r} is no file that another process could open", hint="open it by a path"
        )
    arguments = [
        _command(),
        "studio",
        str(path),
        *(["--write"] if write else []),
        *(["--open"] if open else []),
    ]
    # It ends with this program, whose end of the pipe it waits at.
    process = subprocess.Popen(
        [*arguments, "--until-closed"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    url = process.stdout.readline().strip()
    if not url:
        lines = process.stderr.read().strip().splitlines()
        process.wait()
        raise OperationalError(
            (lines[0] if lines else "corm studio does not start").removeprefix("corm: "),
            code="CORM_E_CANNOT_OPEN",
            hint=lines[1].removeprefix("hint: ") if len(lines) > 1 else None,
        )
    process.stderr.close()
    print(url)
    return Studio(process, url)


def _command() -> str:
    """The corm of this package, or one of PATH."""
    own = os.pathsep.join([sysconfig.get_path("scripts"), str(Path(sys.executable).parent)])
    tree = str(Path(__file__).parents[4] / "build")
    found = shutil.which("corm", path=own) or shutil.which("corm") or shutil.which("corm", path=tree)
    if found is None:
        raise OperationalError(
            "the command corm is not there",
            code="CORM_E_CANNOT_OPEN",
            hint="the wheel brings it, see docs/python/index.md",
        )
    return found
