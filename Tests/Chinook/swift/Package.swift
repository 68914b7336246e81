// swift-tools-version: 6.1
// The Swift side of Tests/Chinook: `chinook DATABASE`, see ../run. A package of its own, so that no user of Cormorant sees
// the command.
import PackageDescription

let package = Package(
    name: "Chinook",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "cormorant", path: "../../..")],
    targets: [
        .executableTarget(name: "chinook", dependencies: [.product(name: "Cormorant", package: "cormorant")])
    ],
    swiftLanguageModes: [.v6]
)
