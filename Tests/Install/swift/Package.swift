// swift-tools-version: 6.2
import PackageDescription

// By URL and version, as most packages will, when CORMORANT_URL is set; else by path.
let cormorant: Package.Dependency =
    if let url = Context.environment["CORMORANT_URL"] {
        .package(url: url, from: "0.1.0")
    } else {
        .package(name: "cormorant", path: "../../..")
    }

let package = Package(
    name: "consumer",
    platforms: [.macOS(.v13)],
    dependencies: [cormorant],
    targets: [
        .executableTarget(
            name: "consumer",
            dependencies: [.product(name: "Cormorant", package: "cormorant")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ]
)
