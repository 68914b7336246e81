"""The tables and the plot of a run."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import postgres
from contestants import GOALS, ROOT, WORKS, Sheet
from contestants import SHEETS as OF_SQLITE
from matplotlib.ticker import LogLocator, NullFormatter

SHEETS = OF_SQLITE + postgres.SHEETS
TITLES = {work.name: work.title for work in postgres.WORKS + WORKS}
NAMES = {c.key: c.title for sheet in SHEETS for c in sheet.contestants}
WIDTH = max(map(len, TITLES.values()))


def progress(message: str) -> None:
    """One line that is written over; nothing where there is no terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{message}", end="", file=sys.stderr, flush=True)


def text(result: dict) -> str:
    machine = result["machine"]
    parts = [
        f"{result['date']}: {machine['cpu']}, {machine['cores']} cores, {machine['system']}, "
        f"SQLite {machine['sqlite']}, Python {machine['python']}\n"
        f"{result['rows']:,} rows, medians of {result['rounds']} rounds; in brackets the budget, ! where it is missed"
    ]
    for sheet in SHEETS:
        if result["sheets"].get(sheet.key):
            parts.append(_table(sheet, result["sheets"][sheet.key]))
    goals = _goals(result["sheets"])
    if goals:
        parts.append(goals)
    if "extras" in result:
        parts.append(_extras("Memory above the empty process, size and start, built queries", result["extras"]))
    if "builds" in result:
        parts.append(_extras("Processor time before a program runs", result["builds"]))
    return "\n\n".join(parts)


def _table(sheet: Sheet, rows: dict) -> str:
    anchor = sheet.contestants[0]
    shown = [c for c in sheet.contestants if any(c.key in row for row in rows.values())]
    widths = [max(len(c.title), 14 if c.budgets else 7) for c in shown]
    lines = [f"{sheet.title} ({anchor.title} = 1.00)"]
    lines.append(
        f"{'':{WIDTH}}  {'ms':>7}  " + "  ".join(f"{c.title:>{w}}" for c, w in zip(shown, widths, strict=True))
    )
    for name, row in rows.items():
        cells = [_cell(row.get(c.key)).rjust(w) for c, w in zip(shown, widths, strict=True)]
        lines.append(f"{TITLES[name]:{WIDTH}}  {1000 * row[anchor.key]['median']:7.1f}  {'  '.join(cells)}")
    if any(cell["scale"] > 1 for row in rows.values() for cell in row.values()):
        lines.append("* did a tenth of the operations; its time is scaled up")
    return "\n".join(lines)


def _cell(cell: dict | None) -> str:
    if cell is None:
        return "-"
    ratio, budget = cell["ratio"], cell["budget"]
    number = f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}"
    if cell["scale"] > 1:
        number += "*"
    if budget is None:
        return number
    # As printed: 1.104 is 1.10 and keeps a budget of 1.10.
    return f"{number} ({budget:.2f}){'!' if round(ratio, 2) > budget else ' '}"


def _goals(sheets: dict) -> str:
    cells = {(name, key): cell for rows in sheets.values() for name, row in rows.items() for key, cell in row.items()}
    lines = []
    for goal in GOALS:
        found = []
        for work in goal.works:
            if (work, goal.key) in cells and (work, goal.peer) in cells:
                times = cells[work, goal.peer]["median"] / cells[work, goal.key]["median"]
                found.append(f"{TITLES[work]} {times:.1f}{'!' if round(times, 1) < goal.times else ''}")
        if found:
            face = goal.key.removeprefix("cormorant-").title()
            lines.append(f"Cormorant {face} over {NAMES[goal.peer]} (goal {goal.times:g}): {'; '.join(found)}")
    return "\n".join(["Times faster than peers, ! where the goal is missed", *lines]) if lines else ""


def _extras(title: str, lines: list[dict]) -> str:
    width = max(len(line["title"]) for line in lines)
    out = [title]
    for line in lines:
        budget, value = line["budget"], line["value"]
        limit = "" if budget is None else f" ({budget}){'!' if value > budget else ''}"
        out.append(f"{line['title']:{width}}  {value:7.2f} {line['unit']}{limit}")
    return "\n".join(out)


BEGIN = "<!-- speed: what stands here is written by ./dev bench --publish -->\n"
# Words of the figures that are no race, and stand on the front page.
SHOWN = ["rows streamed", "libcormorant.so", "open a file with"]
END = "<!-- end of speed -->\n"


def write_readme(result: dict) -> None:
    """Puts the result between the two marks of the front page."""
    file = ROOT / "README.md"
    before, rest = file.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    file.write_text(before + BEGIN + markdown(result) + END + after, encoding="utf-8")
    print("Written: the tables in README.md")


def markdown(result: dict) -> str:
    """What the front page says of speed."""
    machine, day = result["machine"], result["date"]
    words = (
        f"Medians of {result['rounds']} interleaved rounds over {result['rows']:,} rows of 10 columns, {day}, "
        f"{machine['cores']} cores of an {machine['cpu']}, {machine['system']}, SQLite {machine['sqlite']}, "
        f"{machine['swift'].split(' (')[0]}, Python {machine['python']}; all of one run "
        f"([JSON](benchmarks/results/{day}.json))."
    )
    parts = [words.replace("(R)", ""), f"![Ratios of the run](benchmarks/results/{day}.svg)"]
    for sheet in OF_SQLITE:
        rows = result["sheets"][sheet.key]
        anchor, *others = [c for c in sheet.contestants if any(c.key in row for row in rows.values())]
        lines = [f"| {sheet.title}: {anchor.title} = 1.00 | {' | '.join(c.title for c in others)} |"]
        lines.append("|---|" + "---|" * len(others))
        for name, row in rows.items():
            cells = [_short(row.get(c.key)) for c in others]
            lines.append(f"| {TITLES[name]} | {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    shown = [line for line in result.get("extras", []) if any(word in line["title"] for word in SHOWN)]
    figures = [f"| {line['title']} | {line['value']:.0f} {line['unit']} |" for line in shown + result.get("builds", [])]
    parts.append("\n".join(["| memory, size, start and builds | |", "|---|---|", *figures]))
    if any(cell["scale"] > 1 for rows in result["sheets"].values() for row in rows.values() for cell in row.values()):
        parts.append("\\* did a tenth of the operations; its time is scaled up")
    return "\n\n".join(parts) + "\n"


def _short(cell: dict | None) -> str:
    if cell is None:
        return "-"
    return f"{cell['ratio']:.{2 if cell['ratio'] < 2 else 1 if cell['ratio'] < 10 else 0}f}{'*' * (cell['scale'] > 1)}"


def plot(result: dict, file: Path) -> None:
    """One panel per language: a row per work, a mark per contestant, ratios on a logarithmic axis."""
    shown = [sheet for sheet in SHEETS if result["sheets"].get(sheet.key)]
    if not shown:
        return
    # The same run gives the same file.
    plt.rcParams.update({"svg.hashsalt": "cormorant", "font.size": 9, "svg.fonttype": "none"})
    heights = [len(result["sheets"][sheet.key]) for sheet in shown]
    figure, axes = plt.subplots(
        len(shown), figsize=(9, 1.2 * len(shown) + 0.3 * sum(heights)), height_ratios=heights, squeeze=False
    )
    for sheet, axis in zip(shown, axes[:, 0], strict=True):
        _panel(axis, sheet, result["sheets"][sheet.key])
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)


def _panel(axis, sheet: Sheet, rows: dict) -> None:
    anchor = sheet.contestants[0]
    axis.axvline(1, color="0.4", linewidth=1)
    for contestant in sheet.contestants[1:]:
        points = [(row[contestant.key]["ratio"], y) for y, row in enumerate(rows.values()) if contestant.key in row]
        if points:
            ours = contestant.key.startswith("cormorant")
            axis.scatter(
                *zip(*points, strict=True),
                s=46 if ours else 26,
                marker="D" if ours else "o",
                label=contestant.title,
                zorder=3 if ours else 2,
            )
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_yticks(range(len(rows)), [TITLES[name] for name in rows])
    axis.invert_yaxis()
    axis.grid(axis="x", color="0.9")
    axis.set_axisbelow(True)
    axis.set_title(f"{sheet.title}: time, {anchor.title} = 1 (less is better)", loc="left")
    axis.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
