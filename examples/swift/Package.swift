// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "examples",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "cormorant", path: "../..")],
    targets: [
        .executableTarget(
            name: "people", dependencies: [.product(name: "CormorantFoundation", package: "cormorant")]),
        .executableTarget(
            name: "cookbook", dependencies: [.product(name: "CormorantFoundation", package: "cormorant")]),
        .executableTarget(name: "first", dependencies: [.product(name: "Cormorant", package: "cormorant")]),
        .executableTarget(name: "postgresql", dependencies: [.product(name: "Cormorant", package: "cormorant")]),
        .executableTarget(
            name: "guide", dependencies: [.product(name: "CormorantFoundation", package: "cormorant")]),
    ],
    swiftLanguageModes: [.v6]
)
