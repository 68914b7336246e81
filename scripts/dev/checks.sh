# shellcheck shell=bash
# A function check_NAME for each check, and what rewrites the sources as they want them.

files() { git ls-files --cached --others --exclude-standard -- "$@"; }
swift_sources() { files '*.swift'; }
c_sources() { files '*.h' '*.c' '*.cpp'; }
# Scripts have no suffix; their first line says what they are. Links to folders are listed as files, too.
scripts_in() {
    # shellcheck disable=SC2016  # awk's variables, not the shell's
    files | while read -r file; do [ ! -f "$file" ] || echo "$file"; done |
        xargs awk -v name="$1" 'FNR == 1 && /^#!/ && $NF == name { print FILENAME } { nextfile }'
}
python_sources() {
    echo .
    scripts_in python3
}

check_swift_format() { swift_sources | xargs swift format lint --strict --parallel; }
check_clang_format() { c_sources | xargs .venv/bin/clang-format --dry-run -Werror; }
check_ruff() {
    python_sources | xargs .venv/bin/ruff check
    python_sources | xargs .venv/bin/ruff format --check
}
check_mypy() { (cd bindings/python && ../../.venv/bin/mypy); }
check_pyright() { (cd bindings/python && ../../.venv/bin/basedpyright --pythonpath "../../$python"); }
# With what a script sources.
check_shell() { scripts_in bash | xargs shellcheck --external-sources --check-sourced; }
check_imports() { scripts/check-imports; }
check_awaited() { "$python" scripts/check-awaited; }
check_portability() { "$python" scripts/check-portability; }
check_sizes() { scripts/check-sizes; }
check_docs() {
    scripts/check-docs
    scripts/check-links
}
# Of Swift what the last build in $swift_scratch found.
check_documented() { "$python" scripts/check-documented "$swift_scratch"; }
check_async() { "$python" scripts/check-async "$swift_scratch"; }
check_abi() { scripts/check-abi; }

format() {
    install_deps
    swift_sources | xargs swift format --in-place --parallel
    c_sources | xargs .venv/bin/clang-format -i
    python_sources | xargs .venv/bin/ruff check --fix-only
    python_sources | xargs .venv/bin/ruff format
}
