import CStudio
import CormorantBase
import CormorantCipher
import CormorantPlatform
import CormorantSQLite

/// What the server answers: the files of the page, and what stands under `/api/`, which says JSON and is told JSON.
final class StudioInterface: @unchecked Sendable {  // `folder` is set before the first request
    let session: StudioSession
    private let access: StudioAccess
    #if DEBUG
        /// Where the page's files are read from while they are worked on.
        var folder: String?
    #endif

    init(_ session: StudioSession, _ access: StudioAccess) {
        self.session = session
        self.access = access
    }

    func answer(_ request: HTTPRequest, _ connection: HTTPConnection) throws -> HTTPResponse? {
        let path = access.path(of: request)
        do {
            guard path.hasPrefix("/api/") else { return page(path, request) }
            return try call(String(path.dropFirst(5)), request, connection)
        } catch let error as CormorantError {
            return HTTPResponse(
                Self.json(error), status: error.code == .keyMissing || error.code == .wrongKey ? 423 : 400)
        } catch let conflict as EditConflict {
            return HTTPResponse(Self.json(conflict), status: 409)
        }
    }

    private func page(_ path: String, _ request: HTTPRequest) -> HTTPResponse {
        guard request.method == "GET" else { return HTTPResponse(status: 405, text: "only GET is answered here") }
        #if DEBUG
            let name = path == "/" ? "/index.html" : path
            if let folder, let file = cstudio_find(path), let bytes = try? readBytes(folder + name) {
                return HTTPResponse(type: String(cString: file.pointee.type), bytes: bytes)
            }
        #endif
        return HTTPResponse(file: path) ?? HTTPResponse(status: 404, text: "there is nothing here")
    }

    private func call(_ name: String, _ request: HTTPRequest, _ connection: HTTPConnection) throws -> HTTPResponse? {
        if request.method == "GET" {
            switch name {
            case "files": return HTTPResponse(session.json)
            case "events":
                try session.news.tell(connection)
                return nil
            case "export":
                try export(try JSON(parsing: Array((request.query["q"] ?? "").utf8)), connection)
                return nil
            default: return HTTPResponse(status: 404, text: "there is nothing here")
            }
        }
        let json = try JSON(parsing: request.body)
        let file = try session.file(json)
        switch name {
        case "unlock": return HTTPResponse(try unlock(file, json))
        case "schema": return HTTPResponse(try schema(file, json))
        case "rows": return HTTPResponse(try rows(file, json, connection))
        case "count": return HTTPResponse(try count(file, json, connection))
        case "related": return HTTPResponse(try related(file, json, connection))
        case "labels": return HTTPResponse(try labels(file, json, connection))
        case "value": return HTTPResponse(try value(file, json, connection))
        case "picture": return try picture(file, json, connection)
        case "preview": return HTTPResponse(try preview(file, json))
        case "apply": return HTTPResponse(try apply(file, json))
        case "undo": return HTTPResponse(try undo(file))
        case "sql": return HTTPResponse(try sql(file, json, connection))
        case "inspect": return HTTPResponse(try inspect(file, connection))
        case "check": return HTTPResponse(try check(file, json, connection))
        case "target": return HTTPResponse(try target(file, json))
        case "migrate": return HTTPResponse(try migrate(file, json))
        case "stores": return HTTPResponse(try stores(file, connection))
        case "entries": return HTTPResponse(try entries(file, json, connection))
        case "put": return HTTPResponse(try put(file, json))
        default: return HTTPResponse(status: 404, text: "there is nothing here")
        }
    }

    private static func json(_ error: CormorantError) -> JSON {
        [
            "message": .text(error.plainMessage), "hint": JSON(advice(for: error)), "code": .text("\(error.code)"),
            "sql": JSON(error.sql), "offset": JSON(error.offset.map { Int64($0) }),
        ]
    }

    private static func json(_ conflict: EditConflict) -> JSON {
        [
            "code": "changed", "edit": JSON(conflict.place),
            "message": conflict.row == nil
                ? "the row is not there any more: another program deleted it, or gave it another key"
                : "another program has changed the row meanwhile",
            "hint": "nothing was written; look at what the row holds now, and decide",
            "row": conflict.row.map { .object($0.map { ($0.column, Wire.json($0.value)) }) } ?? .null,
        ]
    }

    private func unlock(_ file: StudioFile, _ json: JSON) throws -> JSON {
        guard file.isLocked else { return ["isLocked": false] }
        let text = try json.required("key")
        let key = try Array(text.utf8).withUnsafeBytes { bytes in try SecretReader.key(bytes, of: "the key") }
        try file.unlock(Encryption(key: key))
        return ["isLocked": false]
    }
}

extension HTTPResponse {
    /// A file of the page; nil where there is none.
    init?(file path: String) {
        guard let file = cstudio_find(path) else { return nil }
        self.init(
            type: String(cString: file.pointee.type),
            bytes: Array(UnsafeBufferPointer(start: file.pointee.bytes, count: file.pointee.count)))
    }
}
