import Cormorant
import Foundation

struct Request: Codable {
    var lend: String?
    var back: String?
    var to: String?
    var until: String?
}

extension Desk {
    /// Answers until the input ends.
    func serve() async {
        while let line = readLine() {
            do {
                print(try await answer(JSONDecoder().decode(Request.self, from: Data(line.utf8))))
            } catch {
                print("refused: \(error)")
            }
        }
    }

    private func answer(_ request: Request) async throws -> String {
        try await database.write { database in
            if let title = request.lend, let name = request.to, let day = request.until {
                try lend(title, to: name, until: day)
            }
            if let title = request.back { try takeBack(title) }
            return try database.fetchJSON(Desk.open)
        }
    }
}
