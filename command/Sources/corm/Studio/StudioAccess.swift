import CormorantBase
import CormorantThreads

/// Who may ask: the browser that opened the URL with the token, and of its pages only ours.
final class StudioAccess: @unchecked Sendable {  // `lock` guards `token`
    private let port: Int
    private let cookieName: String
    private let session = StudioAccess.secret()
    private let lock = RecursiveLock(.binding)
    /// nil once it was used: an address is seen by others, in a list of processes or a history.
    private var token: String?

    init(port: Int) {
        self.port = port
        // Cookies know no ports, and several may be served.
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

    /// What a request gets that may not be answered; nil: it may.
    func refusal(of request: HTTPRequest) -> HTTPResponse? {
        // A site whose name leads here would send its own name: DNS rebinding.
        let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        guard let host = request.headers["host"]?.lowercased(), hosts.contains(host) else {
            return HTTPResponse(status: 421, text: "this is corm studio at 127.0.0.1:\(port), and nothing else")
        }
        guard request.method == "GET" || request.method == "POST" else {
            var response = HTTPResponse(status: 405, text: "only GET and POST are answered")
            response.headers.append(("Allow", "GET, POST"))
            return response
        }
        if let origin = request.headers["origin"], origin != "http://\(host)" {
            return HTTPResponse(status: 403, text: "another site asks")
        }
        let site = request.headers["sec-fetch-site"]
        let isVisit = request.method == "GET" && request.path == "/"
        if let site, !isVisit, site != "same-origin", site != "none" {
            return HTTPResponse(status: 403, text: "another site asks")
        }
        if request.path == "/", let given = request.query["token"] {
            return isKnown(request) ? entrance() : take(given) ? entrance() : notKnown()
        }
        guard isKnown(request) else { return notKnown() }
        // Forms, which any site may send, have other types.
        if request.method == "POST", request.headers["content-type"] != "application/json" {
            return HTTPResponse(status: 415, text: "send application/json")
        }
        return nil
    }

    private func isKnown(_ request: HTTPRequest) -> Bool {
        request.cookie(cookieName).map { isSame($0, session) } ?? false
    }

    private func take(_ given: String) -> Bool {
        lock.locked {
            guard let wanted = token, isSame(given, wanted) else { return false }
            token = nil
            return true
        }
    }

    private func notKnown() -> HTTPResponse {
        HTTPResponse(
            status: 403,
            text:
                "corm studio opens with the address that it printed, once and in one browser; start it again for another"
        )
    }

    /// Not a redirect, behind which a browser that came from another site would not send the cookie.
    private func entrance() -> HTTPResponse {
        var response = HTTPResponse(
            type: "text/html; charset=utf-8",
            bytes: Array(
                """
                <!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">\
                <title>corm studio</title><p><a href="/">corm studio</a></p></html>
                """.utf8))
        response.headers.append(("Set-Cookie", "\(cookieName)=\(session); Path=/; HttpOnly; SameSite=Strict"))
        return response
    }

    /// In a time that does not tell how much of it is right.
    private func isSame(_ first: String, _ second: String) -> Bool {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        return first.count == second.count && zip(first, second).reduce(0) { $0 | $1.0 ^ $1.1 } == 0
    }
}
