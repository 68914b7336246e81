# shellcheck shell=bash
# Running suites and checks, and telling how they went.

passed=0
failed=0
skipped=0
# What a suite returns that cannot run here, and has said why.
skips=77
report=()
failures=()
output=$(mktemp)
# Of what runs beside the other suites.
group=
memory_folder=
trap '[ -z "$group" ] || kill -- "-$group"; rm -rf "$output"* ${memory_folder:+"$memory_folder"}' EXIT

# Tests make files by the thousand, and a disk takes most of their time to say that it has them: they are made in memory where
# there is plenty, unless TMPDIR says where. What a crash leaves of a file is tested by a VFS, and not by the disk.
keep_files_in_memory() {
    local enough=$((8 * 1024 * 1024)) space memory options # of 1,024 bytes; they take up to three millions
    [ -z "${TMPDIR:-}" ] || return 0
    space=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)
    memory=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo 2>/dev/null)
    if [ "${space:-0}" -lt "$enough" ] || [ "${memory:-0}" -lt "$enough" ]; then return 0; fi
    # Programs are built and run there, and systems unpacked, with their devices.
    options=$(awk '$2 == "/dev/shm" { print $4 }' /proc/mounts)
    [[ $options != *noexec* && $options != *nodev* ]] || return 0
    memory_folder=$(mktemp -d /dev/shm/cormorant-XXXXXX)
    chmod 755 "$memory_folder"
    export TMPDIR=$memory_folder
}

# Succeeds once for each suite, whoever asks first.
claim() { mkdir "$output.$1.claimed" 2>/dev/null; }

suite() { # name command...: runs it to its first failing command, and counts it
    local status began=$SECONDS
    say "$1"
    # In a subshell of its own and outside any condition, where alone `set -e` does what it says.
    set +e
    (
        set -e
        "${@:2}"
    ) 2>&1 | tee "$output"
    status=${PIPESTATUS[0]}
    set -e
    count "$1" "$status" $((SECONDS - began)) "$output"
}

run_unclaimed() { # prefix name...: one after another
    local prefix=$1 name began
    shift
    set +e
    for name; do
        claim "$name" || continue
        began=$SECONDS
        (
            set -e
            "$prefix$name"
        ) >"$output.$name" 2>&1
        echo "$? $((SECONDS - began))" >"$output.$name.status"
    done
}

run_beside() { # lanes prefix name...: runs those of these functions that nobody has claimed, so many at a time, beside what follows
    local lanes=$1 prefix=$2
    shift 2
    # In a process group of its own, so that it ends with this script.
    set -m
    (
        for ((; lanes > 0; lanes--)); do run_unclaimed "$prefix" "$@" & done
        wait
    ) &
    group=$!
    set +m
}

finish_beside() { # name...: waits for those of them that ran beside, shows and counts them
    local name status seconds
    wait "$group"
    group=
    for name; do
        [ -f "$output.$name.status" ] || continue
        say "$name"
        cat "$output.$name"
        read -r status seconds <"$output.$name.status"
        count "$name" "$status" "$seconds" "$output.$name"
    done
}

count() { # name status seconds file: of what it printed
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
        report+=("$(printf '%-11s ok     %5d s' "$1" "$3")")
    elif [ "$2" -eq "$skips" ]; then
        skipped=$((skipped + 1))
        report+=("$(printf '%-11s skipped: %s' "$1" "$(tail -n 1 "$4")")")
    else
        failed=$((failed + 1))
        report+=("$(printf '%-11s FAILED %5d s' "$1" "$3")")
        failures+=("$1: the end of what it printed"$'\n'"$(tail -n 30 "$4")")
    fi
}

summary() {
    local failure
    for failure in "${failures[@]}"; do say "$failure"; done
    say "Summary"
    printf '%s\n' "${report[@]}"
    printf '\n%d passed, %d failed%s\n' "$passed" "$failed" "$([ "$skipped" -eq 0 ] || echo ", $skipped skipped")"
    [ "$failed" -eq 0 ]
}
