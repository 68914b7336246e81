// swift-tools-version: 6.2
import PackageDescription

// swift-syntax is resolved here alone, so that nobody who uses the library waits for it.
let package = Package(
    name: "MacroOracle",
    platforms: [.macOS(.v13)],
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", "603.0.0"..<"604.0.0")],
    targets: [
        .executableTarget(name: "Oracle", dependencies: [.product(name: "SwiftParser", package: "swift-syntax")]),
        .executableTarget(
            name: "compare",
            dependencies: [
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
