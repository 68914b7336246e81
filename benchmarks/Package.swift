// swift-tools-version: 6.1
// The Swift contestants. A package of its own, so that users of Cormorant never resolve GRDB.
import PackageDescription

let package = Package(
    name: "CormorantBenchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "cormorant", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0"),
    ],
    targets: [
        .target(name: "Workload"),
        .executableTarget(
            name: "bench-cormorant", dependencies: ["Workload", .product(name: "Cormorant", package: "cormorant")]),
        .executableTarget(
            name: "bench-grdb", dependencies: ["Workload", .product(name: "GRDB", package: "GRDB.swift")]),
    ],
    swiftLanguageModes: [.v6]
)
