import CormorantKeyValue
import CormorantORM

/// What a handle is of. Part of the handle itself, so that one of another kind is told apart.
package enum HandleKind: UInt8 {
    case database = 1
    case model
    case result
    case cursor
    case records
    case error
    case arena
    case expression
    case statement
    case related
    case jsonReader
    case schema
    case plan
    case bundle
    case bundleStates
    case metadata
    case store
    case keySink
    case observer
    case event
    case registry
    case queue
    case batch
    case listener
    case completion
    case answer
    case connection

    /// Whether threads may use one handle at once, or end it while others use it. The others pay nothing for it.
    @inline(__always)
    var isShared: Bool {
        switch self {
        case .result, .cursor, .records, .error, .arena, .expression, .statement, .related, .jsonReader,
            .keySink, .answer, .connection:
            false
        default: true
        }
    }

    var name: String {
        switch self {
        case .database: "database"
        case .model: "model"
        case .result: "result"
        case .cursor: "cursor"
        case .records: "records"
        case .error: "error"
        case .arena: "arena"
        case .expression: "expression"
        case .statement: "statement"
        case .related: "related records"
        case .jsonReader: "JSON reader"
        case .schema: "schema"
        case .plan: "plan"
        case .bundle: "bundle"
        case .bundleStates: "status"
        case .metadata: "metadata"
        case .store: "store"
        case .keySink: "key sink"
        case .observer: "observer"
        case .event: "event"
        case .registry: "registry"
        case .queue: "queue"
        case .batch: "batch"
        case .listener: "listener"
        case .completion: "completion"
        case .answer: "answer"
        case .connection: "connection"
        }
    }
}

/// An object that handles are given for. Each kind of handle is of one class.
package protocol HandleObject: AnyObject {
    static var kind: HandleKind { get }
}

// The classes of the engine that are given out as they are.
extension ScratchMemory: HandleObject { package static var kind: HandleKind { .arena } }
extension KeyValueStore: HandleObject { package static var kind: HandleKind { .store } }
