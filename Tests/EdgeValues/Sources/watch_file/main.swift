// Watches a file, as ../../../Watching/watch_file.c does.
import Cormorant
import Foundation

let database = try Database(path: CommandLine.arguments[1])
let observer = try database.observeLive(sql: "SELECT number FROM state") { result in
    do {
        guard case .integer(let number)? = try result.get().rows.first?.first else { return }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let seconds = Double(now.tv_sec) + 1e-9 * Double(now.tv_nsec)
        FileHandle.standardOutput.write(Data("\(number) \(seconds)\n".utf8))
    } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
    }
}
while readLine() != nil {}
observer.cancel()
try database.close()
