// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "desk",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "cormorant", path: "../../..")],
    targets: [
        .executableTarget(name: "desk", dependencies: [.product(name: "Cormorant", package: "cormorant")]),
        .testTarget(name: "DeskTests", dependencies: ["desk"]),
    ]
)
