/// What is answered.
struct HTTPResponse {
    var status = 200
    var type = "application/json"
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    init(_ json: JSON, status: Int = 200) {
        self.status = status
        json.write(to: &body)
    }

    init(status: Int, text: String) {
        self.status = status
        type = "text/plain; charset=utf-8"
        body = Array((text + "\n").utf8)
    }

    init(type: String, bytes: [UInt8]) {
        self.type = type
        body = bytes
    }

    /// What every answer says: that nothing of it is kept, guessed at, shown in a frame or read by another site, and that the
    /// page runs no script and shows no picture but its own.
    private static let everywhere = """
        Cache-Control: no-store\r
        Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
        connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r
        Cross-Origin-Opener-Policy: same-origin\r
        Cross-Origin-Resource-Policy: same-origin\r
        Referrer-Policy: no-referrer\r
        X-Content-Type-Options: nosniff\r
        X-Frame-Options: DENY\r

        """

    /// - Parameter length: nil where the body comes in chunks.
    func head(length: Int?, keepsAlive: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reasons[status] ?? "Status")\r\nContent-Type: \(type)\r\n"
        text += Self.everywhere
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        text += length.map { "Content-Length: \($0)\r\n" } ?? "Transfer-Encoding: chunked\r\n"
        text += "Connection: \(keepsAlive ? "keep-alive" : "close")\r\n\r\n"
        return Array(text.utf8)
    }

    private static let reasons = [
        200: "OK", 303: "See Other", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict", 413: "Content Too Large",
        415: "Unsupported Media Type", 421: "Misdirected Request", 423: "Locked",
        431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
        503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]
}
