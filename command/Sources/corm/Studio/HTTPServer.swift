import CormorantBase
import CormorantPlatform
import CormorantThreads

/// A server on the loopback address, with a thread for each connection.
final class HTTPServer: @unchecked Sendable {  // `lock` guards everything below it
    /// What a request gets that is not to be answered, of which the body is not even read; nil: it is answered.
    typealias Guardian = @Sendable (HTTPRequest) -> HTTPResponse?
    /// The answer; nil where the handler has written it itself, after which the connection ends.
    typealias Handler = @Sendable (HTTPRequest, HTTPConnection) throws -> HTTPResponse?

    /// More than some tabs of a browser open; each is a thread.
    private static let greatestCount = 128

    let port: Int
    private let listener: Int32
    private let lock = RecursiveLock(.binding)
    /// Sockets in the order in which they came, and whether a request is being answered there.
    private var connections: [(socket: Int32, isBusy: Bool)] = []
    private var isStopping = false

    /// - Parameter port: 0 for one that is free.
    init(port: Int) throws {
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let listener = socket(AF_INET, kind, 0)
        guard listener >= 0 else { throw Self.failure(port) }
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
        address.sin_addr = in_addr(s_addr: in_addr_t(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard status else {
            let failure = Self.failure(port)
            close(listener)
            throw failure
        }
        self.listener = listener
        self.port = Int(in_port_t(bigEndian: address.sin_port))
    }

    private static func failure(_ port: Int) -> CormorantError {
        CormorantError(
            .cannotOpen, "port \(port) of 127.0.0.1 cannot be listened at: \(String(cString: strerror(errno)))",
            hint: "leave --port out, and one that is free is taken")
    }

    /// Serves until `isOver`, then lets what is under way come to its end for a moment.
    func run(isOver: () -> Bool, refusal: @escaping Guardian, answer: @escaping Handler) {
        while !isOver() {
            var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 500) > 0 else { continue }
            let socket = accept(listener, nil, nil)
            guard socket >= 0 else {
                // No descriptor is left: some connection will end.
                sleepMilliseconds(20)
                continue
            }
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            admit(socket, refusal, answer)
        }
        close(listener)
        lock.locked {
            isStopping = true
            for connection in connections { shutdown(connection.socket, Int32(SHUT_RDWR)) }
        }
        for _ in 0..<60 where !lock.locked({ connections.isEmpty }) { sleepMilliseconds(10) }
    }

    /// Where there are too many, the oldest goes at which nothing is asked: whoever only keeps connections keeps nobody out.
    private func admit(_ socket: Int32, _ refusal: @escaping Guardian, _ answer: @escaping Handler) {
        let isAdmitted = lock.locked {
            if connections.count >= Self.greatestCount {
                guard let oldest = connections.firstIndex(where: { !$0.isBusy }) else { return false }
                shutdown(connections[oldest].socket, Int32(SHUT_RDWR))
                // Its thread closes it, and need not be waited for.
                connections[oldest].isBusy = true
            }
            guard connections.count < 2 * Self.greatestCount else { return false }
            connections.append((socket, false))
            return true
        }
        guard isAdmitted else {
            try? HTTPConnection(socket).write(HTTPResponse(status: 503, text: "too many connections").whole(false))
            close(socket)
            return
        }
        do {
            try BackgroundThread { [self] in
                serve(socket, refusal, answer)
                lock.locked { connections.removeAll { $0.socket == socket } }
                close(socket)
            }.detach()
        } catch {
            lock.locked { connections.removeAll { $0.socket == socket } }
            close(socket)
        }
    }

    private func serve(_ socket: Int32, _ refusal: Guardian, _ answer: Handler) {
        let connection = HTTPConnection(socket)
        do {
            while var request = try connection.request() {
                if let refused = refusal(request) {
                    guard request.keepsAlive, request.length == 0 else { return end(connection, socket, refused) }
                    try connection.write(refused.whole(true))
                    continue
                }
                try connection.readBody(of: &request)
                set(socket, isBusy: true)
                guard let response = try answer(request, connection) else { return }
                let keepsAlive = request.keepsAlive && !lock.locked { isStopping }
                try connection.write(response.whole(keepsAlive))
                guard keepsAlive else { return }
                set(socket, isBusy: false)
            }
        } catch let failure as HTTPFailure {
            end(connection, socket, HTTPResponse(status: failure.status, text: failure.text))
        } catch {}
    }

    private func end(_ connection: HTTPConnection, _ socket: Int32, _ response: HTTPResponse) {
        try? connection.write(response.whole(false))
        // What it still sends would have the answer dropped.
        shutdown(socket, Int32(SHUT_WR))
        connection.drain()
    }

    private func set(_ socket: Int32, isBusy: Bool) {
        lock.locked {
            guard let place = connections.firstIndex(where: { $0.socket == socket }) else { return }
            connections[place].isBusy = isBusy
        }
    }
}

extension HTTPResponse {
    fileprivate func whole(_ keepsAlive: Bool) -> [UInt8] { head(length: body.count, keepsAlive: keepsAlive) + body }
}
