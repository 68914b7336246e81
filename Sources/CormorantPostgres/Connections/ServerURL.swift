import CormorantBase
import CormorantEngine

/// What a `postgresql://` URL says to us, and what it says to libpq, which reads all the rest itself.
struct ServerURL {
    /// As it was given.
    let original: String
    /// For libpq.
    let text: String
    /// Whether statements are kept on the server; a pooler that gives each transaction another server loses them.
    let keepsStatements: Bool
    /// Whether connections that read go to standbys.
    let readsStandbys: Bool
    /// How long a reader waits for its standby to have what was written, in milliseconds.
    let standbyWait: Int
    let watching: EngineWatching

    private static let schemes = ["postgresql://", "postgres://"]

    static func isOne(_ text: String) -> Bool { schemes.contains { text.hasPrefix($0) } }

    init(_ url: String) throws {
        guard let parts = ServerURL.Parts(url) else {
            throw CormorantError(
                .misuse, "the URL does not begin with postgresql://",
                hint: "write it as postgresql://user@host/database")
        }
        guard !url.utf8.contains(0) else {
            throw CormorantError(.misuse, "the URL holds a NUL character", hint: "remove it")
        }
        keepsStatements =
            try !parts.choice(
                "prepare", "auto", or: "never",
                hint: "give prepare=never where a pooler gives each transaction another server; else leave it away")
        readsStandbys = try parts.choice(
            "readers", "primary", or: "standby",
            hint: "give readers=standby to read from the standbys among its hosts; else leave it away")
        standbyWait = try parts.milliseconds(
            "standby_wait", from: 0,
            hint: "give, say, standby_wait=1000: so long a read waits for a standby to catch up")
        watching = try ServerURL.watching(parts)
        guard !watching.notifies || keepsStatements else {
            throw CormorantError(
                .misuse, "the URL has notify=on beside prepare=never",
                hint:
                    "a pooler that gives each transaction another server keeps no LISTEN: leave notify out, poll looks")
        }
        original = url
        text = parts.joined { parameter in !ServerURL.own.contains { parameter.hasPrefix($0 + "=") } }
    }

    private static func watching(_ parts: Parts) throws -> EngineWatching {
        let installs = try parts.choice(
            "outbox", "use", or: "install",
            hint: "give outbox=install to have outbox and triggers made where a watch begins; else leave it away")
        let notifies = try parts.choice(
            "notify", "off", or: "on", hint: "give notify=on to be woken by NOTIFY; else leave it away")
        let interval = try parts.milliseconds(
            "poll", from: 10,
            hint: "give, say, poll=1000: so often others' commits are looked for while something is watched")
        return EngineWatching(installs: installs, notifies: notifies, interval: interval)
    }

    /// The parameters that are ours; libpq refuses what it does not know.
    private static let own = ["prepare", "readers", "standby_wait", "outbox", "notify", "poll"]

    /// The URL as messages may show it.
    static func withoutPassword(_ url: String) -> String {
        guard var parts = Parts(url) else { return url }
        if let colon = parts.user.firstIndex(of: ":") { parts.user = parts.user[..<colon] + "@" }
        return parts.joined { !$0.hasPrefix("password=") && !$0.hasPrefix("sslpassword=") }
    }

    /// A message without the password, which libpq's on a malformed URL have.
    func withoutPassword(_ message: String) -> String {
        guard let parts = Parts(original) else { return message }
        let user = parts.user.dropLast().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let others = parts.parameters.filter { $0.hasPrefix("password=") || $0.hasPrefix("sslpassword=") }
            .compactMap { $0.split(separator: "=", maxSplits: 1).dropFirst().first }
        return (user.dropFirst() + others).filter { !$0.isEmpty }.reduce(message) { hiding($1, in: $0) }
    }

    private func hiding(_ secret: Substring, in message: String) -> String {
        var (result, rest) = ("", Substring(message))
        while let first = rest.first {
            if rest.hasPrefix(secret) {
                result += "..."
                rest = rest.dropFirst(secret.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// Cut as libpq does: a password may have any byte in it but `@` and `/`.
    private struct Parts {
        let scheme: String
        /// With the `@` behind it.
        var user: Substring
        let place: Substring
        let parameters: [Substring]

        init?(_ url: String) {
            guard let scheme = ServerURL.schemes.first(where: { url.hasPrefix($0) }) else { return nil }
            let rest = url.dropFirst(scheme.count)
            self.scheme = scheme
            let end = rest.firstIndex { $0 == "@" || $0 == "/" }
            let start = end.flatMap { rest[$0] == "@" ? rest.index(after: $0) : nil } ?? rest.startIndex
            user = rest[..<start]
            let parts = rest[start...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            place = parts.first ?? ""
            parameters = parts.count == 2 ? parts[1].split(separator: "&", omittingEmptySubsequences: false) : []
        }

        /// The value of a parameter, the last one where there are several.
        func last(_ name: String) -> String? {
            parameters.last { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.utf8.count + 1)) }
        }

        /// Whether a parameter is the other of its two words; the first is what it is when it is not there.
        func choice(_ name: String, _ usual: String, or other: String, hint: String) throws -> Bool {
            let word = last(name) ?? usual
            guard word == usual || word == other else {
                throw CormorantError(
                    .misuse, "the URL's parameter \(name) is neither \(usual) nor \(other)", hint: hint)
            }
            return word == other
        }

        /// A parameter of 1,000 where it is not there.
        func milliseconds(_ name: String, from least: Int, hint: String) throws -> Int {
            guard let number = Int(last(name) ?? "1000"), (least...86_400_000).contains(number) else {
                throw CormorantError(
                    .misuse, "the URL's parameter \(name) is no number of milliseconds from \(least) up to a day",
                    hint: hint)
            }
            return number
        }

        func joined(_ isKept: (Substring) -> Bool) -> String {
            let kept = parameters.filter(isKept)
            return scheme + user + place + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
        }
    }
}
