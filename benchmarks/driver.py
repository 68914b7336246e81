"""Measures Cormorant, hand-written C and other libraries side by side; run through `./dev bench`."""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from datetime import date
from importlib.metadata import version
from pathlib import Path

import builds
import extras
import postgres
import report
from contestants import HERE, NATIVE, ROOT, SHEETS, WORKS, Contestant, Sheet, Work


class Runner:
    """Runs contestants on files of their own and checks what they answer against the hand-written C."""

    def __init__(self, folder: Path, rows: int) -> None:
        self.folder, self.rows = folder, rows
        self.filled = folder / "filled.db"
        self._right: dict[tuple[str, int], str] = {}
        self.call(NATIVE.command, "insert", self.filled, rows)

    def call(self, command: tuple[str, ...], work: str, file: Path, count: int) -> dict:
        line = [*command, work, str(file), str(self.rows), str(count)]
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(line)} failed:\n{done.stderr.strip()}")
        return json.loads(done.stdout)

    def race(self, command: tuple[str, ...], work: str, count: int) -> dict:
        """One run on a file that it changes."""
        return self.call(command, work, self._scratch(filled=True), count)

    def _scratch(self, *, filled: bool) -> Path:
        file = self.folder / "scratch.db"
        for suffix in ("", "-wal", "-shm"):
            Path(f"{file}{suffix}").unlink(missing_ok=True)
        if filled:
            copy_to_disk(self.filled, file)
        return file

    def _work(self, command: tuple[str, ...], name: str, work: Work, count: int) -> tuple[dict, str]:
        """One run, and the checksum of what it read or, after a write, of the whole table."""
        if work.kind == "read":
            answer = self.call(command, name, self.filled, count)
            return answer, answer["checksum"]
        file = self._scratch(filled=work.kind == "change")
        answer = self.call(command, name, file, count)
        return answer, self.call(NATIVE.command, "verify", file, 0)["checksum"]

    def measure(self, contestant: Contestant, work: Work) -> dict:
        """One checked run; its time is scaled to the full count."""
        full = work.count(self.rows)
        # Only many operations are scaled: a fetch always reads the whole table, and commits are few.
        scale = contestant.scale if work.name not in ("fetch", "fetch_objects", "filter", "autocommit") else 1
        count = max(full // scale, 1)
        name = work.native if contestant.native else work.name
        answer, checksum = self._work(contestant.command, name, work, count)
        if (work.native, count) not in self._right:
            self._right[work.native, count] = self._work(NATIVE.command, work.native, work, count)[1]
        if checksum != self._right[work.native, count]:
            sys.exit(f"bench: {contestant.title} got {work.title} wrong: its checksum is {checksum}")
        factor = full / count
        return {"seconds": answer["seconds"] * factor, "cpu": answer["cpu"] * factor, "scale": scale}


def copy_to_disk(source: Path, target: Path) -> None:
    """A copy that is on the disk, or else the contestant's first fsync would pay for it."""
    shutil.copyfile(source, target)
    with target.open("rb") as file:
        os.fsync(file.fileno())


def run_sheet(
    runner: Runner | postgres.ServerRunner, sheet: Sheet, chosen: list[Contestant], works: list[Work], rounds: int
) -> dict:
    """A B C A B C ... for each work in turn; the medians and their ratios to the anchor."""
    results: dict[str, dict[str, dict]] = {}
    anchor = sheet.contestants[0]
    for work in works:
        row: dict[str, list[dict]] = {c.key: [] for c in chosen if work.name in c.works}
        if len(row) < 2:
            continue
        for turn in range(rounds):
            for contestant in chosen:
                if contestant.key in row:
                    report.progress(f"{sheet.title}: {work.title}, round {turn + 1} of {rounds}, {contestant.title}")
                    row[contestant.key].append(runner.measure(contestant, work))
        base = statistics.median(run["seconds"] for run in row[anchor.key])
        results[work.name] = {
            contestant.key: {
                "ratio": statistics.median(run["seconds"] for run in row[contestant.key]) / base,
                "budget": contestant.budgets.get(work.name),
                "median": statistics.median(run["seconds"] for run in row[contestant.key]),
                "seconds": [run["seconds"] for run in row[contestant.key]],
                "cpu": [run["cpu"] for run in row[contestant.key]],
                "scale": row[contestant.key][0]["scale"],
            }
            for contestant in chosen
            if contestant.key in row
        }
    return results


def measure_postgres(result: dict, options: argparse.Namespace) -> dict:
    """Alone, on 100,000 rows as long as nothing else is said."""
    result["rows"] = options.rows = 100_000 if options.rows == 200_000 else options.rows
    runner = postgres.ServerRunner(options.rows)
    try:
        for sheet in postgres.SHEETS:
            result["sheets"][sheet.key] = run_sheet(runner, sheet, sheet.contestants, postgres.WORKS, options.rounds)
    finally:
        runner.stop()
    print(postgres.cpu_table(result))
    return result


def machine() -> dict:
    """What the figures were measured on and with."""
    cpu = next(
        line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    )
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    release = platform.freedesktop_os_release()
    return {
        "cpu": cpu,
        "cores": len(os.sched_getaffinity(0)),
        "system": release["PRETTY_NAME"],
        "sqlite": extras.sqlite_version(),
        "swift": swift,
        "python": platform.python_version(),
        "GRDB": "7.10.0",
        **{name: version(name) for name in ("SQLAlchemy", "peewee")},
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("--rounds", type=int, help="how often each work is measured (5)")
    parser.add_argument("--rows", type=int, help="rows in the table (200,000)")
    parser.add_argument("--quick", action="store_true", help="20,000 rows, 3 rounds")
    parser.add_argument("--full", action="store_true", help="stream ten million rows, not one, for the memory figures")
    parser.add_argument(
        "--publish",
        action="store_true",
        help="keep the result and its plot under results/ by date, and put its tables into README.md",
    )
    keys = [contestant.key for sheet in SHEETS for contestant in sheet.contestants]
    names = [work.name for work in WORKS] + ["extras", "builds", "postgres"]
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        choices=keys + names,
        metavar="NAME",
        help=f"only these contestants, beside their anchor ({', '.join(keys)}), or these works ({', '.join(names)})",
    )
    options = parser.parse_args()
    options.rows = options.rows or (20_000 if options.quick else 200_000)
    options.rounds = options.rounds or (3 if options.quick else 5)
    return options


def main() -> None:
    options = arguments()
    only_works = [work for work in WORKS if work.name in options.only]
    only_keys = {c.key for sheet in SHEETS for c in sheet.contestants} & set(options.only)
    only_parts = {"extras", "builds"} & set(options.only)
    if options.publish and (options.only or options.quick):
        sys.exit("bench: --publish is for a whole run, without --only and --quick")
    result = {"date": date.today().isoformat(), "machine": machine(), "rows": options.rows, "rounds": options.rounds}
    result["sheets"] = {}
    if "postgres" in options.only:
        return show(measure_postgres(result, options), "postgres")
    (ROOT / ".build").mkdir(exist_ok=True)
    # Beside the checkout, not in /tmp, which may be memory.
    with tempfile.TemporaryDirectory(dir=ROOT / ".build", prefix="bench-data-") as folder:
        # First, for they are quick and show what does not run.
        if "builds" in only_parts or not (options.only or options.quick):
            result["builds"] = builds.measure()
        if only_parts == {"builds"} == set(options.only):
            return show(result, "latest")
        runner = Runner(Path(folder), options.rows)
        if "extras" in only_parts or not options.only:
            result["extras"] = extras.measure(runner, 10_000_000 if options.full else 1_000_000)
        for sheet in SHEETS:
            chosen = [c for c in sheet.contestants if not only_keys or c.key in only_keys or c == sheet.contestants[0]]
            works = only_works or ([] if only_parts else WORKS)
            result["sheets"][sheet.key] = run_sheet(runner, sheet, chosen, works, options.rounds)
    show(result, result["date"] if options.publish else "latest")
    if options.publish:
        report.write_readme(result)


def show(result: dict, name: str) -> None:
    """Prints the result, and keeps it under this name."""
    report.progress("")
    print(report.text(result))
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    (results / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    report.plot(result, results / f"{name}.svg")
    print(f"\nWritten: benchmarks/results/{name}.json and .svg")


if __name__ == "__main__":
    main()
