// swift-tools-version: 6.1
// Fuzz targets, built with libFuzzer by ./run. A package of its own, since the sanitizer is for the whole of a package;
// its sources are links into the main package, whose `package` declarations the targets use.
import PackageDescription

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v13)],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CThreads"),
        .target(name: "CormorantPlatform"),
        .target(name: "CormorantBase", dependencies: ["CormorantPlatform"]),
        .target(name: "CormorantThreads", dependencies: ["CormorantBase", "CThreads"]),
        .target(name: "CormorantEngine", dependencies: ["CormorantBase"]),
        .target(name: "CormorantSQLite", dependencies: ["CormorantThreads", "CormorantEngine", "CSQLite"]),
        .target(name: "CormorantCipher", dependencies: ["CormorantBase", "CormorantSQLite"]),
        .target(name: "CormorantQuery", dependencies: ["CormorantBase"]),
        .executableTarget(
            name: "FuzzCipher", dependencies: ["CormorantBase", "CormorantSQLite", "CormorantCipher"],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
        .executableTarget(
            name: "FuzzSchema", dependencies: ["CormorantBase", "CormorantSQLite", "CormorantQuery"],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    ],
    swiftLanguageModes: [.v6]
)
