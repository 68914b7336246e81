// swift-tools-version: 6.3
import CompilerPluginSupport
import PackageDescription

// How the package is compiled for release. SwiftPM takes such flags of a package that others depend on since its version 6.2.

/// What runs once in a program's life or, at most, once a commit or a statement that is built; and locks, which say themselves
/// what is to be inlined.
let forSize: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]
/// What would be optimized for longer than it runs: what runs in the compiler of who uses it, and migrations, whose time is SQLite's
/// but for a few milliseconds.
let unoptimized: [SwiftSetting] = [.unsafeFlags(["-Onone"], .when(configuration: .release))]
/// CMakeLists.txt says so, which builds the library and the command: for them size counts, not how long they are compiled.
let isInstalled = Context.environment["CORMORANT_INSTALLED"] != nil
let seldom = isInstalled ? forSize : unoptimized
/// Overlapping accesses would end the host's process; debug builds look for them, so that others need not: 6 % fewer instructions
/// of an insert, 2.5 % of a lookup (callgrind).
let unchecked: [SwiftSetting] = [
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
]
/// Debug builds compile whole modules, too: a module in parts is read once for each part (a first build takes 55 s of processor time
/// for 65 with 2 cores, and for 85 in 8 parts). Threads let SwiftPM's index have a file for each source. On Linux, where it was tried.
let whole: [SwiftSetting] = [
    .unsafeFlags(["-wmo", "-num-threads", "2"], .when(platforms: [.linux], configuration: .debug))
]

/// Each layer, and all below it.
let base: [Target.Dependency] = ["CormorantPlatform", "CormorantBase", "CormorantThreads"]
let engine: [Target.Dependency] =
    base + ["CormorantEngine", "CormorantSQLite", "CormorantPostgres", "CormorantQuery", "CormorantORM"]

let package = Package(
    name: "cormorant",
    platforms: [.macOS(.v13), .iOS(.v16), .macCatalyst(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Cormorant", targets: ["Cormorant"]),
        .library(name: "CormorantFoundation", targets: ["CormorantFoundation"]),
        .library(name: "CormorantC", type: .dynamic, targets: ["CormorantC", "CormorantBinding"]),
        // For the command in this tree, in `command/`: nobody else is promised anything of it.
        .library(
            name: "_CormorantInternals",
            targets: [
                "CormorantBase", "CormorantThreads", "CormorantEngine", "CormorantSQLite", "CormorantPostgres",
                "CormorantQuery", "CormorantORM", "CormorantMigrations", "CormorantKeyValue", "CormorantObservation",
                "CormorantCipher",
            ]),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CCormorant", path: "include"),
        .systemLibrary(name: "CThreads"),
        .target(name: "CormorantPlatform"),
        .target(name: "CormorantBase", dependencies: ["CormorantPlatform"]),
        .target(
            name: "CormorantThreads", dependencies: ["CormorantBase", "CormorantPlatform", "CThreads"],
            swiftSettings: forSize),
        .target(name: "CormorantEngine", dependencies: ["CormorantBase"]),
        .target(name: "CormorantSQLite", dependencies: base + ["CormorantEngine", "CSQLite"]),
        .target(name: "CormorantPostgres", dependencies: base + ["CormorantEngine"]),
        .target(name: "CormorantQuery", dependencies: ["CormorantBase"], swiftSettings: forSize),
        .target(
            name: "CormorantORM",
            dependencies: base + ["CormorantEngine", "CormorantSQLite", "CormorantPostgres", "CormorantQuery"],
            swiftSettings: isInstalled ? [] : forSize),
        .target(name: "CormorantMigrations", dependencies: engine, swiftSettings: seldom),
        .target(name: "CormorantCipher", dependencies: base + ["CormorantSQLite"]),
        .target(name: "CormorantKeyValue", dependencies: engine),
        .target(name: "CormorantObservation", dependencies: engine, swiftSettings: forSize),
        .target(
            name: "CormorantC",
            dependencies: engine + [
                "CCormorant", "CormorantMigrations", "CormorantKeyValue", "CormorantObservation", "CormorantCipher",
                "CThreads",
            ]),
        .target(
            name: "CormorantBinding",
            dependencies: engine + ["CCormorant", "CormorantC", "CormorantKeyValue", "CormorantObservation"]),
        // What it needs of other targets is linked into its folder: a dependency would be compiled once more, for the compiler.
        .macro(name: "CormorantMacros", swiftSettings: unoptimized),
        .target(
            name: "Cormorant",
            dependencies: engine + [
                "CormorantMigrations", "CormorantKeyValue", "CormorantObservation", "CormorantCipher",
                "CormorantMacros",
            ]),
        .target(name: "CormorantFoundation", dependencies: ["Cormorant"]),
        .testTarget(name: "CormorantBaseTests", dependencies: ["CormorantBase"]),
        .testTarget(name: "CormorantCipherTests", dependencies: ["CormorantCipher"]),
        .testTarget(name: "CormorantPostgresTests", dependencies: ["CormorantPostgres"]),
        .testTarget(name: "CormorantQueryTests", dependencies: ["CormorantQuery"]),
        .testTarget(name: "CormorantDialectTests", dependencies: engine),
        .testTarget(name: "CormorantMacrosTests", dependencies: ["CormorantMacros"]),
        .testTarget(name: "CormorantTests", dependencies: ["Cormorant", "CormorantFoundation"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type == .regular || target.type == .macro {
    target.swiftSettings = (target.swiftSettings ?? []) + whole + (target.type == .regular ? unchecked : [])
}
