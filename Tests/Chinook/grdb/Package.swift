// swift-tools-version: 6.3
// A package of its own, so that nobody else resolves GRDB.
import PackageDescription

let package = Package(
    name: "chinook-grdb",
    platforms: [.macOS(.v13)],
    dependencies: [.package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0")],
    targets: [.executableTarget(name: "chinook-grdb", dependencies: [.product(name: "GRDB", package: "GRDB.swift")])]
)
