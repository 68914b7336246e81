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
trap '[ -z "$group" ] || kill -- "-$group"; rm -f "$output"{,.swift,.beside,.status}' EXIT

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

suite_beside() { # name command...: starts it; finish_beside shows what it printed, and counts it
    # In a process group of its own, so that it ends with this script.
    set -m
    (
        began=$SECONDS
        set +e
        (
            set -e
            "${@:2}"
        ) >"$output.beside" 2>&1
        echo "$? $((SECONDS - began))" >"$output.status"
    ) &
    group=$!
    set +m
}

finish_beside() { # name
    local status seconds
    wait "$group"
    group=
    say "$1"
    cat "$output.beside"
    read -r status seconds <"$output.status"
    count "$1" "$status" "$seconds" "$output.beside"
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
