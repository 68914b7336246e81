"""Builds the wheel from build/libcormorant.so and build/corm: build_wheel.py [FOLDER], else in dist/."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[1]) if len(sys.argv) == 2 else HERE.parent.parent / "dist"
    # hatchling is installed already, so nothing is fetched.
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder.resolve())]
    return subprocess.run(command, cwd=HERE, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
