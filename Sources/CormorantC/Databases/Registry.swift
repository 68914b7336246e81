public import CCormorant
import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantSQLite
import CormorantThreads

/// A registry, with the names that C looks at.
final class RegistryBox: HandleObject {
    static var kind: HandleKind { .registry }
    let registry: Registry
    private let lock = RecursiveLock(.binding)
    private let memory = ScratchMemory(firstSize: 256)
    private var names: [ExactText: UnsafePointer<CChar>] = [:]

    init(_ registry: Registry) { self.registry = registry }

    /// Copied once, and kept until the registry is closed.
    func kept(_ name: String?) -> UnsafePointer<CChar>? {
        guard let name else { return nil }
        lock.lock()
        defer { lock.unlock() }
        if let ready = names[ExactText(name)] { return ready }
        let made = memory.copy(name)
        names[ExactText(name)] = made
        return made
    }
}

private func requireRegistry(_ handle: OpaquePointer?) throws -> Registry {
    try Handles.require(handle, as: RegistryBox.self).registry
}

@_cdecl("corm_registry_open") @implementation
public func corm_registry_open(
    _ pattern: UnsafePointer<CChar>?, _ limit: Int32, _ options: UnsafePointer<corm_open_options>?,
    _ outRegistry: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outRegistry, "out_registry")
        let registry = try Registry(
            optionalString(pattern, "pattern"), limit: limit == 0 ? 64 : Int(limit), options: openOptions(options))
        out.pointee = try Handles.add(RegistryBox(registry))
        return CORM_OK
    }
}

@_cdecl("corm_registry_close") @implementation
public func corm_registry_close(
    _ handle: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    if handle == nil { return CORM_OK }
    return boundary(outError) {
        try requireRegistry(handle).close()
        Handles.remove(handle, as: RegistryBox.self)
        return CORM_OK
    }
}

@_cdecl("corm_registry_register") @implementation
public func corm_registry_register(
    _ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?,
    _ options: UnsafePointer<corm_open_options>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try requireRegistry(handle).register(
            string(name, "name"), path: string(path, "path"), options: options == nil ? nil : openOptions(options))
        return CORM_OK
    }
}

@_cdecl("corm_registry_use") @implementation
public func corm_registry_use(
    _ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ outDatabase: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outDatabase, "out_database")
        let lease = try requireRegistry(handle).use(optionalString(name, "name"))
        out.pointee = try Handles.add(DatabaseBox(lease.database, lease))
        return CORM_OK
    }
}

@_cdecl("corm_registry_set_default") @implementation
public func corm_registry_set_default(
    _ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try requireRegistry(handle).setDefault(optionalString(name, "name"))
        return CORM_OK
    }
}

@_cdecl("corm_registry_set_current") @implementation
public func corm_registry_set_current(
    _ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try requireRegistry(handle).setCurrent(optionalString(name, "name"))
        return CORM_OK
    }
}

@_cdecl("corm_registry_info_read") @implementation
public func corm_registry_info_read(
    _ handle: OpaquePointer?, _ outInfo: UnsafeMutablePointer<corm_registry_info>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let box = try Handles.require(handle, as: RegistryBox.self)
        let out = try require(outInfo, "out_info")
        var info: corm_registry_info = try readStruct(UnsafePointer(out), out.pointee.struct_size, "corm_registry_info")
        try requireZero(info.reserved, "corm_registry_info")
        info.default_name = box.kept(box.registry.defaultName)
        info.current_name = box.kept(box.registry.currentName)
        info.open_count = box.registry.openCount
        writeStruct(info, to: out, info.struct_size)
        return CORM_OK
    }
}

@_cdecl("corm_registry_names") @implementation
public func corm_registry_names(
    _ handle: OpaquePointer?, _ arena: OpaquePointer?,
    _ outNames: UnsafeMutablePointer<UnsafePointer<UnsafePointer<CChar>?>?>?, _ outCount: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let memory = try Handles.require(arena, as: ScratchMemory.self)
        let out = try require(outNames, "out_names")
        let count = try require(outCount, "out_count")
        let names = try requireRegistry(handle).allNames()
        let list = memory.allocateArray(of: UnsafePointer<CChar>?.self, count: names.count)
        for (index, name) in names.enumerated() { (list + index).initialize(to: memory.copy(name)) }
        out.pointee = UnsafePointer(list)
        count.pointee = names.count
        return CORM_OK
    }
}

@_cdecl("corm_registry_close_file") @implementation
public func corm_registry_close_file(
    _ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try requireRegistry(handle).closeFile(string(name, "name"))
        return CORM_OK
    }
}

@_cdecl("corm_registry_attach") @implementation
public func corm_registry_attach(
    _ databaseHandle: OpaquePointer?, _ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?,
    _ schema: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try requireRegistry(handle).attach(
            string(name, "name"), to: database(databaseHandle), as: string(schema, "schema"))
        return CORM_OK
    }
}

@_cdecl("corm_registry_migrate") @implementation
public func corm_registry_migrate(
    _ handle: OpaquePointer?, _ bundle: OpaquePointer?, _ names: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
    _ last: UnsafePointer<CChar>?, _ allowLossy: Bool, _ callback: corm_registry_migrate_callback?,
    _ context: UnsafeMutableRawPointer?, _ outFailed: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let failed = try require(outFailed, "out_failed")
        failed.pointee = 0
        let steps = try requireBundle(bundle)
        let last = try optionalString(last, "step's id")
        let names = count == 0 ? nil : try strings(names, count, "names")
        try requireRegistry(handle).migrate(names, steps.bundle(nil), upTo: last) { lease in
            // Steps of the program's own get a handle that is not theirs to end.
            let handle = try Handles.add(DatabaseBox(lease.database))
            defer { Handles.remove(handle, as: DatabaseBox.self) }
            return try lease.database.apply(
                steps.bundle(handle), upTo: last, options: MigrationOptions(allowLossy: allowLossy))
        } told: { migration in
            if case .failure = migration.result { failed.pointee += 1 }
            return callback.map { tell($0, context, migration) } ?? true
        }
        return CORM_OK
    }
}

private func tell(
    _ callback: corm_registry_migrate_callback, _ context: UnsafeMutableRawPointer?, _ migration: RegistryMigration
) -> Bool {
    var told = corm_registry_migration()
    told.index = Int(migration.index)
    told.count = Int(migration.count)
    var error: OpaquePointer?
    defer { Handles.remove(error, as: ErrorText.self) }
    switch migration.result {
    case .success(let steps): told.steps = steps.count
    case .failure(let reason): error = try? Handles.add(ErrorText(reason))
    }
    told.error = error
    return migration.name.withCString { name in
        told.name = name
        return callback(&told, context)
    }
}
