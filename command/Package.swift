// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that who uses the library resolves nothing that only the command needs.

/// The package to which the engine's declarations with the access `package` are open, and so the command's: SwiftPM names
/// it by its folder, and leaves it to us where a target has no access to its own package.
let engine = String(
    (Context.packageDirectory.split(separator: "/").dropLast().last ?? "").lowercased()
        .map { $0.isLetter || $0.isNumber ? $0 : "_" })
let inEngine: [SwiftSetting] = [.unsafeFlags(["-package-name", engine])]
let internals: Target.Dependency = .product(name: "_CormorantInternals", package: "cormorant")

let package = Package(
    name: "corm",
    platforms: [.macOS(.v13)],
    products: [.executable(name: "corm", targets: ["corm"])],
    dependencies: [
        .package(name: "cormorant", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/stencilproject/Stencil", from: "0.15.1"),
    ],
    targets: [
        .target(name: "CArguments", publicHeadersPath: "."),
        .systemLibrary(name: "CCurl"),
        // The page of `corm studio`, whose files the compiler embeds.
        .target(name: "CStudio", exclude: ["page"]),
        .target(
            name: "CormorantCodegen", dependencies: [internals, .product(name: "Stencil", package: "Stencil")],
            packageAccess: false, swiftSettings: inEngine),
        .executableTarget(
            name: "corm",
            dependencies: [
                internals, "CArguments", "CCurl", "CStudio", "CormorantCodegen",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            packageAccess: false, swiftSettings: inEngine),
    ],
    swiftLanguageModes: [.v6]
)
