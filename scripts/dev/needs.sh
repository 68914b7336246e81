# shellcheck shell=bash
# What the machine must have; what is missing is installed.

need_swift() {
    local found
    command -v swift >/dev/null || die "no swift in PATH; install Swift 6.3 or newer: https://www.swift.org/install/linux"
    found=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*[0-9]\).*/\1/p')
    [ "$(printf '6.3\n%s\n' "$found" | sort -V | head -n 1)" = 6.3 ] ||
        die "Swift $found is too old; install 6.3 or newer: https://www.swift.org/install/linux"
}

# Each line of needs: the apt package, then a command that succeeds where it is not missing.
build_needs() {
    cat <<'NEEDS'
build-essential gcc --version && g++ --version && make --version && readelf --version
cmake command -v cmake
git command -v git
libcmocka-dev test -e /usr/include/cmocka.h
libjansson-dev test -e /usr/include/jansson.h
libsqlite3-dev test -e /usr/include/sqlite3.h
pkg-config command -v pkg-config
python3-venv python3 -c 'import ensurepip, venv'
NEEDS
}

test_needs() {
    cat <<'NEEDS'
valgrind valgrind --quiet true
libc6-dbg valgrind --quiet true
curl command -v curl
abigail-tools command -v abidiff
dpkg-dev command -v dpkg-gensymbols && command -v dpkg-shlibdeps
lintian command -v lintian
mandoc command -v mandoc
shellcheck command -v shellcheck
strace command -v strace
debootstrap command -v debootstrap
chromium command -v chromium
chromium-driver command -v chromedriver
firefox-esr command -v firefox-esr
NEEDS
}

# Of the suite postgres, which is skipped where they are not to be had.
postgres_needs() {
    cat <<'NEEDS'
postgresql scripts/postgres-server check
pgbouncer PATH=$PATH:/usr/sbin command -v pgbouncer
NEEDS
}

need_packages() { # lines of needs on standard input
    local package probe line as_root=() missing=()
    while read -r package probe; do
        eval "$probe" >/dev/null 2>&1 || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    line="apt-get install -y --no-install-recommends ${missing[*]}"
    command -v apt-get >/dev/null || die "not there: ${missing[*]} (names of Debian packages); install them and try again"
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
            die "as root, run: $line"
        fi
        as_root=(sudo)
    fi
    say "Installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" \
        >/dev/null
}

need_python() {
    local wanted stamp=.venv/requirements.txt
    wanted=$(cat scripts/requirements.txt bindings/python/requirements-dev.txt examples/python/requirements.txt)
    [ "$wanted" != "$(cat "$stamp" 2>/dev/null)" ] || return 0
    say "Installing the Python tools into .venv"
    python3 -m venv .venv
    "$python" -m pip install --quiet --requirement scripts/requirements.txt
    echo "$wanted" >"$stamp"
}

install_deps() {
    need_swift
    need_packages < <(build_needs && test_needs)
    (need_packages < <(postgres_needs)) || say "PostgreSQL cannot be installed; its suite is skipped"
    need_python
    # Where root may make one, a Debian without anything, in which the suite install follows the front pages.
    [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null || Tests/Install/front_pages prepare
}
