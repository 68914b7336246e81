// swift-tools-version: 6.1
// The Swift side of edge-values.json: `edge_write FILE` and `edge_read FILE`, see
// ../Conformance/README.md; and of ../Transfers, ../Watching, ../Hostile and ../Stateful. A package of its own, so that no user of Cormorant sees the commands.
import PackageDescription

let package = Package(
    name: "EdgeValues",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "cormorant", path: "../..")],
    targets: [
        .target(name: "EdgeValues", dependencies: [.product(name: "Cormorant", package: "cormorant")]),
        .executableTarget(name: "edge_write", dependencies: ["EdgeValues"]),
        .executableTarget(name: "edge_read", dependencies: ["EdgeValues"]),
        .executableTarget(name: "watch_file", dependencies: [.product(name: "Cormorant", package: "cormorant")]),
        .executableTarget(name: "open_file", dependencies: [.product(name: "Cormorant", package: "cormorant")]),
        .executableTarget(name: "companion", dependencies: [.product(name: "Cormorant", package: "cormorant")]),
        .executableTarget(name: "transfers", dependencies: [.product(name: "Cormorant", package: "cormorant")]),
    ],
    swiftLanguageModes: [.v6]
)
