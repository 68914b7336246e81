// swift-tools-version: 6.1
// Fuzz targets, built with libFuzzer by ./run. A package of its own, since the sanitizer is for the whole of a package;
// its sources are links into the main package, whose `package` declarations the targets use.
import PackageDescription

let base: [Target.Dependency] = ["CormorantPlatform", "CormorantBase", "CormorantThreads"]
let engine: [Target.Dependency] =
    base + ["CormorantEngine", "CormorantSQLite", "CormorantPostgres", "CormorantQuery", "CormorantORM"]

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v13)],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CThreads"),
        .target(name: "CormorantPlatform"),
        .target(name: "CormorantBase", dependencies: ["CormorantPlatform"]),
        .target(name: "CormorantThreads", dependencies: ["CormorantPlatform", "CormorantBase", "CThreads"]),
        .target(name: "CormorantEngine", dependencies: ["CormorantBase"]),
        .target(name: "CormorantSQLite", dependencies: ["CormorantThreads", "CormorantEngine", "CSQLite"]),
        .target(name: "CormorantCipher", dependencies: ["CormorantBase", "CormorantSQLite"]),
        .target(name: "CormorantQuery", dependencies: ["CormorantBase"]),
        .target(name: "CormorantPostgres", dependencies: base + ["CormorantEngine"]),
        .target(
            name: "CormorantORM",
            dependencies: base + ["CormorantEngine", "CormorantSQLite", "CormorantPostgres", "CormorantQuery"]),
        .target(name: "CormorantMigrations", dependencies: engine),
        .target(name: "CormorantKeyValue", dependencies: engine),
        .target(name: "CormorantObservation", dependencies: engine),
        .systemLibrary(name: "CCormorant"),
        .target(
            name: "CormorantC",
            dependencies: engine + [
                "CCormorant", "CormorantMigrations", "CormorantKeyValue", "CormorantObservation", "CormorantCipher",
                "CThreads",
            ]),
        .target(
            name: "CormorantBinding",
            dependencies: engine + ["CCormorant", "CormorantC", "CormorantKeyValue", "CormorantObservation"]),
        .executableTarget(
            name: "FuzzCalls", dependencies: ["CormorantC", "CormorantBinding"],
            cSettings: [.unsafeFlags(["-I../../include"])]),
        .executableTarget(
            name: "FuzzCipher", dependencies: ["CormorantBase", "CormorantSQLite", "CormorantCipher"],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
        .executableTarget(
            name: "FuzzSchema", dependencies: ["CormorantBase", "CormorantSQLite", "CormorantQuery"],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    ],
    swiftLanguageModes: [.v6]
)
