// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "demo",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "cormorant", path: "../../..")],
    targets: [
        .executableTarget(name: "demo", dependencies: [.product(name: "Cormorant", package: "cormorant")])
    ],
    swiftLanguageModes: [.v6]
)
