import CormorantBase
import CormorantPlatform

/// PostgreSQL's client library, found at run time, so that who has no server needs none. Functions that libpq 14 has; those of
/// a later one are optional.
/// Source: https://www.postgresql.org/docs/15/libpq.html
final class LibPQ: Sendable {
    typealias Connection = OpaquePointer
    typealias Result = OpaquePointer
    typealias Text = UnsafePointer<CChar>
    typealias Texts = UnsafePointer<Text?>
    typealias Numbers = UnsafePointer<Int32>
    typealias Types = UnsafePointer<UInt32>
    typealias Notice = @convention(c) (UnsafeMutableRawPointer?, Text?) -> Void

    // Connections.
    let connect: @convention(c) (Texts?, Texts?, Int32) -> Connection?
    let close: @convention(c) (Connection?) -> Void
    let status: @convention(c) (Connection?) -> Int32
    let transactionStatus: @convention(c) (Connection?) -> Int32
    let parameterStatus: @convention(c) (Connection?, Text?) -> Text?
    let serverVersion: @convention(c) (Connection?) -> Int32
    let usedPassword: @convention(c) (Connection?) -> Int32
    let needsPassword: @convention(c) (Connection?) -> Int32
    let errorMessage: @convention(c) (Connection?) -> Text?
    let setNotice: @convention(c) (Connection?, Notice?, UnsafeMutableRawPointer?) -> Notice?
    let getCancel: @convention(c) (Connection?) -> OpaquePointer?
    let freeCancel: @convention(c) (OpaquePointer?) -> Void
    let cancel: @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>?, Int32) -> Int32

    // Sending.
    let sendQuery: @convention(c) (Connection?, Text?) -> Int32
    let sendQueryParams: @convention(c) (Connection?, Text?, Int32, Types?, Texts?, Numbers?, Numbers?, Int32) -> Int32
    let sendPrepare: @convention(c) (Connection?, Text?, Text?, Int32, Types?) -> Int32
    let sendDescribe: @convention(c) (Connection?, Text?) -> Int32
    let sendQueryPrepared: @convention(c) (Connection?, Text?, Int32, Texts?, Numbers?, Numbers?, Int32) -> Int32
    let setSingleRowMode: @convention(c) (Connection?) -> Int32
    /// Of libpq 17.
    let setChunkedRowsMode: (@convention(c) (Connection?, Int32) -> Int32)?
    let getResult: @convention(c) (Connection?) -> Result?
    let enterPipeline: @convention(c) (Connection?) -> Int32
    let exitPipeline: @convention(c) (Connection?) -> Int32
    let sync: @convention(c) (Connection?) -> Int32
    let sendFlushRequest: @convention(c) (Connection?) -> Int32
    let flush: @convention(c) (Connection?) -> Int32
    let consumeInput: @convention(c) (Connection?) -> Int32
    let putCopyData: @convention(c) (Connection?, UnsafeRawPointer?, Int32) -> Int32
    let putCopyEnd: @convention(c) (Connection?, Text?) -> Int32
    let getCopyData: @convention(c) (Connection?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, Int32) -> Int32
    let freeMemory: @convention(c) (UnsafeMutableRawPointer?) -> Void

    // Notifications.
    let socket: @convention(c) (Connection?) -> Int32
    let notifies: @convention(c) (Connection?) -> UnsafeMutableRawPointer?

    // Results.
    let resultStatus: @convention(c) (Result?) -> Int32
    let errorField: @convention(c) (Result?, Int32) -> Text?
    let resultErrorMessage: @convention(c) (Result?) -> Text?
    let clear: @convention(c) (Result?) -> Void
    let rowCount: @convention(c) (Result?) -> Int32
    let columnCount: @convention(c) (Result?) -> Int32
    let columnName: @convention(c) (Result?, Int32) -> Text?
    let columnTable: @convention(c) (Result?, Int32) -> UInt32
    let columnType: @convention(c) (Result?, Int32) -> UInt32
    let columnModifier: @convention(c) (Result?, Int32) -> Int32
    let parameterCount: @convention(c) (Result?) -> Int32
    let parameterType: @convention(c) (Result?, Int32) -> UInt32
    let value: @convention(c) (Result?, Int32, Int32) -> UnsafeMutableRawPointer?
    let length: @convention(c) (Result?, Int32, Int32) -> Int32
    let isNull: @convention(c) (Result?, Int32, Int32) -> Int32
    let commandStatus: @convention(c) (Result?) -> Text?
    let affectedRows: @convention(c) (Result?) -> Text?

    /// Throws the name of a function that it lacks.
    init(_ library: UnsafeMutableRawPointer) throws(MissingFunction) {
        func optional<Function>(_ name: String) -> Function? {
            dlsym(library, name).map { unsafeBitCast($0, to: Function.self) }
        }
        func function<Function>(_ name: String) throws(MissingFunction) -> Function {
            guard let found: Function = optional(name) else { throw MissingFunction(name: name) }
            return found
        }
        connect = try function("PQconnectdbParams")
        close = try function("PQfinish")
        status = try function("PQstatus")
        transactionStatus = try function("PQtransactionStatus")
        parameterStatus = try function("PQparameterStatus")
        serverVersion = try function("PQserverVersion")
        usedPassword = try function("PQconnectionUsedPassword")
        needsPassword = try function("PQconnectionNeedsPassword")
        errorMessage = try function("PQerrorMessage")
        setNotice = try function("PQsetNoticeProcessor")
        getCancel = try function("PQgetCancel")
        freeCancel = try function("PQfreeCancel")
        cancel = try function("PQcancel")
        sendQuery = try function("PQsendQuery")
        sendQueryParams = try function("PQsendQueryParams")
        sendPrepare = try function("PQsendPrepare")
        sendDescribe = try function("PQsendDescribePrepared")
        sendQueryPrepared = try function("PQsendQueryPrepared")
        setSingleRowMode = try function("PQsetSingleRowMode")
        setChunkedRowsMode = optional("PQsetChunkedRowsMode")
        getResult = try function("PQgetResult")
        enterPipeline = try function("PQenterPipelineMode")
        exitPipeline = try function("PQexitPipelineMode")
        sync = try function("PQpipelineSync")
        consumeInput = try function("PQconsumeInput")
        sendFlushRequest = try function("PQsendFlushRequest")
        flush = try function("PQflush")
        putCopyData = try function("PQputCopyData")
        putCopyEnd = try function("PQputCopyEnd")
        getCopyData = try function("PQgetCopyData")
        freeMemory = try function("PQfreemem")
        socket = try function("PQsocket")
        notifies = try function("PQnotifies")
        resultStatus = try function("PQresultStatus")
        errorField = try function("PQresultErrorField")
        resultErrorMessage = try function("PQresultErrorMessage")
        clear = try function("PQclear")
        rowCount = try function("PQntuples")
        columnCount = try function("PQnfields")
        columnName = try function("PQfname")
        columnTable = try function("PQftable")
        columnType = try function("PQftype")
        columnModifier = try function("PQfmod")
        parameterCount = try function("PQnparams")
        parameterType = try function("PQparamtype")
        value = try function("PQgetvalue")
        length = try function("PQgetlength")
        isNull = try function("PQgetisnull")
        commandStatus = try function("PQcmdStatus")
        affectedRows = try function("PQcmdTuples")
    }

    struct MissingFunction: Error {
        let name: String
    }
}

/// What a result is: `ExecStatusType`.
enum ResultStatus {
    static let emptyQuery: Int32 = 0
    static let command: Int32 = 1
    static let rows: Int32 = 2
    static let copyOut: Int32 = 3
    static let copyIn: Int32 = 4
    static let copyBoth: Int32 = 8
    static let singleRow: Int32 = 9
    static let pipelineSync: Int32 = 10
    static let pipelineAborted: Int32 = 11
    static let chunk: Int32 = 12
}

/// What an error tells: `PG_DIAG_`.
enum ErrorField {
    static let state = Int32(UInt8(ascii: "C"))
    static let message = Int32(UInt8(ascii: "M"))
    static let hint = Int32(UInt8(ascii: "H"))
    static let position = Int32(UInt8(ascii: "P"))
    static let context = Int32(UInt8(ascii: "W"))
    static let schema = Int32(UInt8(ascii: "s"))
    static let table = Int32(UInt8(ascii: "t"))
    static let column = Int32(UInt8(ascii: "c"))
    static let constraint = Int32(UInt8(ascii: "n"))
}
