"""How fast it is, on the large file. The figures are printed: pytest -s."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from studio_server import ROWS, Start, Studio


def timed(studio: Studio, name: str, **body: Any) -> tuple[float, Any]:
    """Milliseconds, the least of three, and the answer."""
    least = float("inf")
    for _ in range(3):
        begin = time.perf_counter()
        answer = studio.ask(name, **body)
        least = min(least, (time.perf_counter() - begin) * 1000)
    return least, answer


def test_figures(start: Start, large: Path) -> None:
    # What the disk has to be asked for is not ours.
    large.read_bytes()
    started, computed = [], []
    for _ in range(5):
        studio = start(large, enter=False)
        started.append(studio.started * 1000)
        computed.append(studio.processor_time)
    studio.enter()
    columns = ["id", "at", "kind", "amount", "note", "source"]
    begin = time.perf_counter()
    cold = studio.ask("rows", table="event", columns=columns, **{"from": {"start": True, "scale": True}})
    first = (time.perf_counter() - begin) * 1000
    assert [row["c"][0] for row in cold["rows"]] == list(range(1, 101))
    end, answer = timed(studio, "rows", table="event", columns=columns, **{"from": {"end": True, "scale": True}})
    assert answer["rows"][-1]["c"][0] == ROWS
    jump, answer = timed(studio, "rows", table="event", columns=columns, **{"from": {"at": 0.9, "scale": True}})
    assert abs(answer["rows"][0]["c"][0] - ROWS * 0.9) < 3
    by_source, _ = timed(
        studio, "rows", table="event", columns=columns, sort=[{"c": "source", "d": True}], **{"from": {"end": True}}
    )
    labels, _ = timed(studio, "labels", table="source", column="id", values=list(range(1, 101)))
    related, _ = timed(studio, "related", table="source", keys=[[key] for key in range(1, 101)])
    counted, _ = timed(studio, "count", table="event", columns=[])
    size = 0
    for path in ("/", *(f"/{name}" for name in files_of_the_page())):
        status, _, content = studio.request("GET", path)
        assert status == 200, path
        size += len(content)
    memory = studio.memory / 1e6
    print(
        f"\n{ROWS:,} rows: start {min(started):.0f} ms, first page {first:.0f} ms, page at the end {end:.0f} ms, "
        f"at nine tenths {jump:.0f} ms, at the end by source {by_source:.0f} ms, labels {labels:.0f} ms, "
        f"related {related:.0f} ms, count {counted:.0f} ms, memory {memory:.0f} MB, page {size / 1000:.0f} kB"
    )
    # Others may have the processors, which is not its fault.
    assert min(computed) < 100
    assert first < 200
    assert max(end, jump, by_source) < 200
    assert memory < 60
    assert size < 300_000


def files_of_the_page() -> list[str]:
    from running import ROOT

    return sorted(path.name for path in (ROOT / "command/Sources/CStudio/page").iterdir() if path.name != "index.html")
