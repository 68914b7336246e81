import CSQLite
import CormorantBase
import CormorantPlatform

/// Refuses WAL mode for a file that other machines may use, too: each of them would have an index of the log of its own, and lose what
/// the others write. https://www.sqlite.org/wal.html: "WAL does not work over a network filesystem"
/// - Parameter shown: the path as it was given.
func refuseLogOnNetwork(_ path: String, shown: String) throws {
    guard let kind = networkFileSystem(path) else { return }
    throw CormorantError(
        .cannotOpen, "\"\(shown)\" is on a network file system (\(kind)), on which WAL mode loses data",
        hint: "open it with journal mode DELETE, or keep it on a disk of this machine")
}

/// Whether a file is, or would be, on a network file system.
package func isOnNetwork(_ path: String) -> Bool {
    networkFileSystem(fileExists(path) ? path : folder(of: path)) != nil
}

/// What the system calls the network file system that a file is on; nil for others, and for those of which it does not say so: FUSE and
/// 9p, by which programs, containers and virtual machines are shown folders of their own machine, too.
private func networkFileSystem(_ path: String) -> String? {
    #if canImport(Darwin)
        var info = statfs()
        guard statfs(path, &info) == 0, info.f_flags & UInt32(bitPattern: MNT_LOCAL) == 0 else { return nil }
        return withUnsafeBytes(of: info.f_fstypename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    #else
        // linux/magic.h
        switch csqlite_file_system(path) {
        case 0x6969: return "nfs"
        case 0x517B, 0xFF53_4D42, 0xFE53_4D42: return "smb"
        case 0x5346_414F, 0x6B41_4653: return "afs"
        case 0x7375_7245: return "coda"
        case 0x00C3_6400: return "ceph"
        default: return nil
        }
    #endif
}
