// swift-tools-version: 6.1
import PackageDescription

// The models are in Sources/copy/Generated, where the test has them written.
let package = Package(
    name: "codegen",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "cormorant", path: "../../..")],
    targets: [
        .executableTarget(
            name: "copy", dependencies: [.product(name: "Cormorant", package: "cormorant")],
            swiftSettings: [.unsafeFlags(["-warnings-as-errors"])])
    ],
    swiftLanguageModes: [.v6]
)
