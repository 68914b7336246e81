import CormorantBase
import CormorantPlatform
import CormorantThreads

/// The other side is gone, or too slow.
struct HTTPConnectionLost: Error {}

/// One connection of a browser, which one thread serves.
final class HTTPConnection {
    /// Milliseconds: for the first byte of a request that another one came before, for the whole of a request, and for the other
    /// side to take some of an answer.
    private static let patience: (idle: Int, request: Int, write: Int) = (60_000, 10_000, 10_000)

    private let socket: Int32
    private var buffer: [UInt8] = []
    private var isFirst = true
    /// Until when the request that is read has time.
    private var deadline: Int64 = 0

    init(_ socket: Int32) {
        self.socket = socket
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
    }

    /// The next request, of which the body is still to be read; nil where there is none.
    func request() throws -> HTTPRequest? {
        deadline = time(after: isFirst || !buffer.isEmpty ? Self.patience.request : Self.patience.idle)
        isFirst = false
        var wasEmpty = buffer.isEmpty
        let separator: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        var searched = 0
        while true {
            if let place = find(separator, from: searched) {
                let request = try HTTPRequest(head: buffer[..<place])
                buffer.removeFirst(place + separator.count)
                return request
            }
            guard buffer.count < HTTPRequest.greatestHead else {
                throw HTTPFailure(status: 431, text: "the headers are longer than \(HTTPRequest.greatestHead) bytes")
            }
            searched = max(0, buffer.count - separator.count)
            do {
                guard try fill(until: deadline) else { return nil }
            } catch let failure as HTTPFailure where buffer.isEmpty && failure.status == 408 {
                return nil
            }
            // From its first byte on a request has its own time.
            if wasEmpty { deadline = min(deadline, time(after: Self.patience.request)) }
            wasEmpty = false
        }
    }

    func readBody(of request: inout HTTPRequest) throws {
        while buffer.count < request.length {
            guard try fill(until: deadline) else { throw HTTPConnectionLost() }
        }
        request.body = Array(buffer.prefix(request.length))
        buffer.removeFirst(request.length)
    }

    private func find(_ separator: [UInt8], from start: Int) -> Int? {
        guard buffer.count >= separator.count else { return nil }
        return (start...buffer.count - separator.count).first { place in
            buffer[place] == 0x0D && buffer[place..<place + separator.count].elementsEqual(separator)
        }
    }

    /// Reads what has come; false at the end.
    private func fill(until end: Int64) throws -> Bool {
        guard try wait(Int16(POLLIN), until: end) else {
            throw HTTPFailure(status: 408, text: "the request is too slow")
        }
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(socket, &piece, piece.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return true }
        guard count >= 0 else { throw HTTPConnectionLost() }
        buffer.append(contentsOf: piece[..<count])
        return count > 0
    }

    private func wait(_ events: Int16, until end: Int64) throws -> Bool {
        while true {
            let left = (end - monotonicTime()) / 1_000_000
            guard left > 0 else { return false }
            var entry = pollfd(fd: socket, events: events, revents: 0)
            if poll(&entry, 1, Int32(clamping: left)) > 0 { return true }
        }
    }

    func write(_ bytes: [UInt8]) throws {
        var written = 0
        while written < bytes.count {
            let step = bytes.withUnsafeBytes { part in
                part.baseAddress.map { send(socket, $0 + written, part.count - written, 0) } ?? 0
            }
            if step > 0 {
                written += step
            } else if step < 0, errno == EAGAIN {
                guard try wait(Int16(POLLOUT), until: time(after: Self.patience.write)) else {
                    throw HTTPConnectionLost()
                }
            } else if step < 0, errno != EINTR {
                throw HTTPConnectionLost()
            }
        }
    }

    /// Whether the browser has gone: then what it asked for is not wanted any more.
    var isGone: Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return false }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK)) == 0 || entry.revents & Int16(POLLERR | POLLHUP) != 0
    }

    /// Takes what is still sent, for a moment.
    func drain() {
        let end = time(after: 200)
        while (try? fill(until: end)) == true, buffer.count < 1 << 20 {}
    }

    // Answers of which the end is not known yet ----------------------------------------------------------------------

    func begin(_ response: HTTPResponse) throws { try write(response.head(length: nil, keepsAlive: false)) }

    func chunk(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        try write(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [0x0D, 0x0A])
    }

    func end() throws { try write(Array("0\r\n\r\n".utf8)) }
}
