// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the other examples need nothing but the library; ./dev soak builds and asks it.
let package = Package(
    name: "server",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "cormorant", path: "../../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "server",
            dependencies: [
                .product(name: "Cormorant", package: "cormorant"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ])
    ]
)
