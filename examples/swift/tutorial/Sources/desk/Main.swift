import Cormorant

@main
struct Main {
    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        do {
            guard let path = words.first else { throw Usage() }
            try await run(Desk(path: path), Array(words.dropFirst()))
        } catch {
            print("refused:", error)
        }
    }

    struct Usage: Error, CustomStringConvertible {
        var description: String { "desk FILE add TITLE AUTHOR | lend TITLE NAME DUE | back TITLE | list | members" }
    }

    static func run(_ desk: Desk, _ words: [String]) async throws {
        switch (words.first, words.count) {
        case ("add", 3): try desk.add(words[1], by: words[2])
        case ("lend", 4): try desk.lend(words[1], to: words[2], until: words[3])
        case ("back", 2): try desk.takeBack(words[1])
        case ("list", 1): try desk.printLoans()
        case ("members", 1): try desk.printMembers()
        case ("serve", 1): await desk.serve()
        case ("follow", 1): try await desk.follow()
        default: throw Usage()
        }
    }
}
