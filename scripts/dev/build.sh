# shellcheck shell=bash
# Building: the library, the tests of Swift, the site.

configure() {
    need_swift
    need_packages < <(build_needs)
    cmake -S . -B build --log-level=WARNING -DCMAKE_BUILD_TYPE=RelWithDebInfo
}

build() {
    say "Building $library, build/corm, the C tests and the C examples"
    configure
    cmake --build build --parallel "$(nproc)"
}

# For debugging. Several packages build in the same folder, and are planned anew: SwiftPM would take the plan of the one that was
# built last there for the next one's, and build nothing.
swift_build() { # options...
    swift build --scratch-path "$swift_scratch" --disable-build-manifest-caching "$@"
}

# What the compiler says of sources that it compiles now, in a clean clone of all, is an error.
build_swift() {
    say "Building the tests of Swift"
    swift_build --build-tests 2>&1 | tee "$output.swift"
    ! grep --extended-regexp '^/[^ ]+\.swift:[0-9]+:[0-9]+: warning: ' "$output.swift" || die "the compiler warns"
}

# For what runs on the library and Python alone.
prepare() {
    say "Building $library"
    configure
    cmake --build build --target cormorant_swift
    need_python
}

build_site() {
    say "Building the modules of Swift"
    swift_build --target CormorantFoundation
    say "Building the site"
    scripts/build-docs "$swift_scratch"
}
