// Notes over HTTP: GET /notes, GET /notes/1, POST /notes. server FILE PORT
import Cormorant
import Foundation
import Hummingbird

@Model
struct Note: Codable, Sendable, ResponseCodable {
    @Key var id: Int64?
    @Column(check: "text <> ''") var text: String
}

@main
struct Server {
    static func main() async throws {
        let words = CommandLine.arguments
        let database = try Database(path: words[1])
        try await database.sync(Note.self)
        let application = Application(
            router: router(database),
            configuration: .init(address: .hostname("127.0.0.1", port: Int(words[2]) ?? 8080)))
        try await application.runService()  // until SIGTERM or SIGINT
        try await database.close()
    }

    static func router(_ database: Database) -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: Refusals())
        router.get("notes") { _, _ in
            try await database.fetchAll(Note.order { $0.id.desc() }.limit(20))
        }
        router.get("notes/:id") { _, context in
            guard let note = try await database.find(Note.self, key: context.parameters.require("id", as: Int64.self))
            else { throw HTTPError(.notFound) }
            return note
        }
        router.post("notes") { request, context in
            let note = try await request.decode(as: Note.self, context: context)
            let written = try await database.inserted(note)
            return EditedResponse(status: .created, response: written)
        }
        return router
    }
}

/// What the caller did wrong is the caller's to hear; all else stays in the log.
struct Refusals<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as CormorantError {
            context.logger.error("\(error)")
            switch error.code {
            case .unique: throw HTTPError(.conflict, message: "there is such a record already")
            case .check, .notNull, .foreignKey: throw HTTPError(.unprocessableContent, message: error.message)
            case .busy: throw HTTPError(.serviceUnavailable)
            default: throw HTTPError(.internalServerError)
            }
        }
    }
}
