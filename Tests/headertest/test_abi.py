"""What a change of the headers says: scripts/abi.py, on copies of them (finding code.md 9: it knew names only)."""

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import abi  # noqa: E402
import abi_bindings  # noqa: E402
import abi_stub  # noqa: E402

NOW = abi.read_abi(ROOT / "include" / "cormorant.h")


def after(folder: Path, header: str, old: str, new: str) -> list[str]:
    """The differences that a header makes in which `old`, which it has once, is `new`."""
    return abi.differences(NOW, abi.read_abi(changed(folder, header, old, new) / "cormorant.h"))


def changed(folder: Path, header: str, old: str, new: str) -> Path:
    """Headers of which one has `new` in place of `old`."""
    include = folder / "include"
    shutil.copytree(ROOT / "include", include)
    path = include / "cormorant" / header
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    return include


@pytest.mark.parametrize(
    "header, old, new, said",
    [
        (
            "base.h",
            "const char *corm_version(void);",
            "int32_t corm_version(void);",
            ['function corm_version: returns was "const char *", is "int32_t"'],
        ),
        (
            "error.h",
            "corm_status corm_error_code(const corm_error *error);",
            "corm_status corm_error_code(const corm_error *error, int32_t part);",
            ["function corm_error_code: parameters.part is new"],
        ),
        ("base.h", "const char *corm_version(void);", "", ["function corm_version is gone"]),
        (
            "base.h",
            "#define CORM_E_BUSY (-8)",
            "#define CORM_E_BUSY (-108)",
            ["constant CORM_E_BUSY: the value was -8, is -108"],
        ),
        (
            "queue.h",
            "typedef corm_status (*corm_queue_body)(",
            "typedef void (*corm_queue_body)(",
            [
                'type corm_queue_body: the value was "corm_status (*)(corm_database *, void *, corm_error **)", '
                'is "void (*)(corm_database *, void *, corm_error **)"'
            ],
        ),
    ],
)
def test_a_change_is_said(tmp_path: Path, header: str, old: str, new: str, said: list[str]) -> None:
    assert after(tmp_path, header, old, new) == said


def test_a_member_that_moves_others_is_said_of_each(tmp_path: Path) -> None:
    said = after(tmp_path, "database.h", "int32_t busy_timeout CORM_ZERO;", "int64_t busy_timeout CORM_ZERO;")
    assert 'struct corm_open_options: members.busy_timeout.type was "int32_t", is "int64_t"' in said
    assert "struct corm_open_options: members.journal_mode.offset was 20, is 24" in said


def test_members_in_another_order_are_said(tmp_path: Path) -> None:
    data, size = "            const void *data;\n", "            size_t size;\n"
    said = after(tmp_path, "value.h", data + size, size + data)
    assert "struct corm_value: members.as.bytes.data.offset was 16, is 24" in said


def test_no_padding_hides_a_member() -> None:
    sized = {name: struct for name, struct in NOW["structs"].items() if "struct_size" in struct["members"]}
    assert sized
    for name, struct in sized.items():
        end = max(member["offset"] + member["size"] for member in struct["members"].values())
        assert end == struct["size"], f"{name} ends in padding: name it reserved, or order its members otherwise"


def test_nothing_is_said_of_comments(tmp_path: Path) -> None:
    assert (
        after(tmp_path, "base.h", "const char *corm_version(void);", "const char *corm_version(void); /* so */") == []
    )


def test_the_ledger_compiles_to_the_headers_own_library() -> None:
    assert abi_stub.differences(NOW, NOW, ROOT / "include") == []


@pytest.mark.parametrize(
    "header, old, new, said",
    [
        ("base.h", "const char *corm_version(void);", "", "[D] 'function const char* corm_version()'"),
        (
            "error.h",
            "corm_status corm_error_code(const corm_error *error);",
            "int64_t corm_error_code(const corm_error *error);",
            "return type changed:",
        ),
        (
            "database.h",
            "    int32_t busy_timeout CORM_ZERO;\n",
            "    int64_t busy_timeout CORM_ZERO;\n",
            "type of 'int32_t busy_timeout' changed:",
        ),
        ("cache.h", "    int64_t bytes;\n", "    int64_t bytes;\n    int64_t more;\n", "1 data member insertion:"),
    ],
)
def test_abidiff_says_what_breaks_programs(tmp_path: Path, header: str, old: str, new: str, said: str) -> None:
    include = changed(tmp_path, header, old, new)
    assert said in "\n".join(abi_stub.differences(NOW, abi.read_abi(include / "cormorant.h"), include))


def test_what_python_and_swift_know_follows_the_headers(tmp_path: Path) -> None:
    include = changed(
        tmp_path,
        "base.h",
        "#define CORM_E_BUSY (-8)",
        "#define CORM_E_BUSY (-8)\n/* Too late. */\n#define CORM_E_LATE (-44)",
    )
    path = include / "cormorant" / "database.h"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("int32_t busy_timeout CORM_ZERO;", "double busy_timeout CORM_ZERO;"))
    nothing: abi.Abi = {"constants": {}, "types": {}, "structs": {}, "functions": {}}
    base = (include / "cormorant" / "base.h").read_text(encoding="utf-8")
    written = abi_bindings.files(abi.read_abi(include / "cormorant.h"), nothing, base)
    python, swift = written[abi_bindings.PYTHON], written[abi_bindings.SWIFT]
    assert "CORM_E_LATE: Final = -44\n" in python
    assert '("busy_timeout", "double"),\n' in python
    assert "    /// Too late.\n    case late = -44\n" in swift
    assert 'case .late: "CORM_E_LATE"\n' in swift
