import CormorantBase
import CormorantPlatform

extension LibPQ {
    /// It stays loaded. `CORMORANT_LIBPQ` goes before the system's, which goes before what psycopg's wheel has brought into the
    /// process.
    static func shared() throws -> LibPQ { try found.get() }

    private static let found = Swift.Result { try find() }

    private static func find() throws -> LibPQ {
        if let path = getenv("CORMORANT_LIBPQ").map({ String(cString: $0) }), !path.isEmpty {
            guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
                throw CormorantError(
                    .unsupported, "CORMORANT_LIBPQ names \"\(path)\", which cannot be loaded\(reason())",
                    hint: "set it to the path of libpq.so.5, or remove it")
            }
            return try functions(of: library, path)
        }
        #if canImport(Darwin)
            let names = [
                "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib",
            ]
        #else
            let names = ["libpq.so.5"]
        #endif
        for name in names {
            if let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) { return try functions(of: library, name) }
        }
        if let path = loaded(), let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) {
            return try functions(of: library, path)
        }
        throw CormorantError(
            .unsupported, "PostgreSQL's client library, libpq, is not there",
            hint:
                "install it (Debian and Ubuntu: libpq5, Fedora: libpq, macOS: brew install libpq, for Python on Linux: "
                + "pip install 'cormorant[postgres]'), or set CORMORANT_LIBPQ to its path"
        )
    }

    private static func functions(of library: UnsafeMutableRawPointer, _ path: String) throws -> LibPQ {
        do {
            return try LibPQ(library)
        } catch {
            throw CormorantError(
                .unsupported, "the client library of PostgreSQL, \(path), is too old: it has no \(error.name)",
                hint: "install libpq 14 or newer, or set CORMORANT_LIBPQ to the path of one")
        }
    }

    private static func reason() -> String { dlerror().map { ": " + String(cString: $0) } ?? "" }

    /// The path of one that another library of this process has loaded, such as psycopg_binary.libs/libpq-1a2b3c4d.so.5.17.
    private static func loaded() -> String? {
        guard let file = fopen("/proc/self/maps", "r") else { return nil }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, file) > 0 {
            guard let text = line.map({ String(cString: $0) }), let slash = text.firstIndex(of: "/") else { continue }
            let path = text[slash...].prefix { $0 != "\n" }
            let name = path.split(separator: "/").last ?? ""
            if name.hasPrefix("libpq-") || name.hasPrefix("libpq.so") { return String(path) }
        }
        return nil
    }
}
