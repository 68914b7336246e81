import Foundation

/// A plug-in that runs as the compiler runs it.
final class PluginProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    struct Ended: Error {}

    init(_ path: String) throws {
        process.executableURL = URL(fileURLWithPath: path)
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    func ask(_ message: Data) throws -> NSDictionary {
        var length = UInt64(message.count).littleEndian
        try input.fileHandleForWriting.write(contentsOf: Data(bytes: &length, count: 8) + message)
        let header = try read(8)
        let size = header.reversed().reduce(0) { $0 << 8 | Int($1) }
        let reply = try JSONSerialization.jsonObject(with: try read(size))
        guard let members = reply as? NSDictionary else { throw Ended() }
        return members
    }

    private func read(_ count: Int) throws -> Data {
        var data = Data()
        while data.count < count {
            guard let more = try output.fileHandleForReading.read(upToCount: count - data.count), !more.isEmpty else {
                throw Ended()
            }
            data += more
        }
        return data
    }
}
