// The four tables of the demo for Swift; models.py and models.h describe the same ones.
import Cormorant

@Model
struct Section {
    @Key var name: String
}

@Model
struct Maintainer {
    @Key var id: Int64!
    @Column(unique: true) var name: String
}

@Model
struct Package {
    @Key var name: String
    var version: String
    @References("section", onDelete: .cascade) var section: String
    @References("maintainer", onDelete: .cascade) var maintainerID: Int64
    var priority: String
    /// In KB.
    @Column(check: "installed_size >= 0") var installedSize: Int64?
    var essential: Bool
    var summary: String
    var note: String?
}

/// What a package asks for; of "a | b" both are here.
@Model
struct Dependency {
    @Key @References("package", onDelete: .cascade) var package: String
    @Key var position: Int64
    var kind: String
    var target: String
    var wantedVersion: String?
    /// The installed package that gives it.
    @Column(indexed: true) @References("package", onDelete: .setNull) var found: String?
}
