import CormorantBase
import CormorantThreads

/// Who may ask: the browser that opened the URL with the token, and of its pages only ours.
final class StudioAccess: @unchecked Sendable {  // `lock` guards `token`
    private let port: Int
    private let cookieName: String
    private let session = StudioAccess.secret()
    /// What all paths begin with. Browsers send a cookie to whatever serves its host, on any port, but not for other paths: who does not
    /// know this one never gets ours.
    private let base = "/\(StudioAccess.secret())"
    private let lock = RecursiveLock(.binding)
    /// nil once it was used: an address is seen by others, in a list of processes or a history.
    private var token: String?

    init(port: Int) {
        self.port = port
        cookieName = "corm-studio-\(port)"
        let token = Self.secret()
        self.token = token
        url = "http://127.0.0.1:\(port)/?token=\(token)"
    }

    let url: String

    private static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        return Wire.hex((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// What a request asks for, behind what all paths begin with.
    func path(of request: HTTPRequest) -> String { String(request.path.dropFirst(base.count)) }

    /// What a request gets that may not be answered; nil: it may.
    func refusal(of request: HTTPRequest) -> HTTPResponse? {
        // A site whose name leads here would send its own name: DNS rebinding.
        let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        guard let host = request.headers["host"]?.lowercased(), hosts.contains(host) else {
            return HTTPResponse(status: 421, text: "this is corm studio at 127.0.0.1:\(port), and nothing else")
        }
        guard request.method == "GET" || request.method == "POST" else {
            var response = HTTPResponse(status: 405, text: "only GET and POST are answered")
            if request.method == "HEAD" { response.body = [] }
            response.headers.append(("Allow", "GET, POST"))
            return response
        }
        if let origin = request.headers["origin"], origin != "http://\(host)" {
            return HTTPResponse(status: 403, text: "another site asks")
        }
        let isVisit = request.method == "GET" && ["/", "\(base)/"].contains(request.path)
        if let site = request.headers["sec-fetch-site"], !isVisit, site != "same-origin", site != "none" {
            return HTTPResponse(status: 403, text: "another site asks")
        }
        if request.method == "GET", request.path == "/" {
            return request.query["token"].map(take) ?? false ? entrance() : returning()
        }
        if request.method == "GET", request.path == Self.returnPath { return HTTPResponse(file: Self.returnPath) }
        guard isKnown(request) else { return HTTPResponse(status: 403, text: Self.notKnown) }
        // Forms, which any site may send, have other types.
        if request.method == "POST", request.headers["content-type"] != "application/json" {
            return HTTPResponse(status: 415, text: "send application/json")
        }
        return nil
    }

    private func isKnown(_ request: HTTPRequest) -> Bool {
        request.path.hasPrefix("\(base)/") && request.cookie(cookieName).map { isSame($0, session) } ?? false
    }

    private func take(_ given: String) -> Bool {
        lock.locked {
            guard let wanted = token, isSame(given, wanted) else { return false }
            token = nil
            return true
        }
    }

    private static let notKnown =
        "corm studio opens with the address that it printed, once and in one browser; start it again for another"

    /// Not a redirect, behind which a browser that came from another site would not send the cookie.
    private func entrance() -> HTTPResponse {
        var response = Self.page(
            "<meta http-equiv=\"refresh\" content=\"0;url=\(base)/\">", "<a href=\"\(base)/\">corm studio</a>")
        response.headers.append(
            ("Set-Cookie", "\(cookieName)=\(session); Path=\(base)/; HttpOnly; SameSite=Strict"))
        return response
    }

    private static let returnPath = "/return.js"

    /// For a browser that opens the address once more. What it keeps for the page, which no other site and no other port reads, tells it
    /// where that is; any other browser learns nothing.
    private func returning() -> HTTPResponse {
        var response = Self.page("<script src=\"\(Self.returnPath)\"></script>", Self.notKnown)
        response.status = 403
        return response
    }

    private static func page(_ head: String, _ body: String) -> HTTPResponse {
        HTTPResponse(
            type: "text/html; charset=utf-8",
            bytes: Array(
                "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\(head)<title>corm studio</title><p>\(body)</p></html>\n"
                    .utf8))
    }

    /// In a time that does not tell how much of it is right.
    private func isSame(_ first: String, _ second: String) -> Bool {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        return first.count == second.count && zip(first, second).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
