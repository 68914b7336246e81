import CormorantBase

/// What one statement or record of a batch did.
public struct WriteResult: Sendable {
    /// Rows inserted, updated or deleted.
    public let changes: Int64
    /// The key that was made for an inserted or saved record; nil where none was.
    public let generatedKey: Int64?
    /// What kept it from being done, in a batch that goes on after errors.
    public let error: CormorantError?

    package init(changes: Int64 = 0, generatedKey: Int64? = nil, error: CormorantError? = nil) {
        self.changes = changes
        self.generatedKey = generatedKey
        self.error = error
    }
}

/// How a write ended.
public struct WriteCompletion: Sendable {
    /// Its number in the queue, from 1.
    public let number: Int64
    /// What the program called the write; nil: nothing.
    public let tag: String?
    /// nil: it is committed. Else nothing of it is there.
    public let error: CormorantError?
    /// Of a batch that is committed, what each part of it did, in the order in which they were added.
    public let results: [WriteResult]
}

/// A write of a queue, from being added to being told how it ended.
package final class QueuedWrite: @unchecked Sendable {  // its queue's lock guards it
    package typealias Body = (Database) throws -> [WriteResult]

    package internal(set) var number: Int64 = 0
    package let tag: String?
    let body: Body
    let told: ((WriteCompletion) -> Void)?
    /// What the body gave, until its group has ended.
    var outcome: Result<[WriteResult], CormorantError>?
    /// Of a write that was taken back, too, of which only who waits for it learns.
    package internal(set) var completion: WriteCompletion?
    /// Called once it was taken back, whoever did that. To be set before it is added.
    package var takenBack: (() -> Void)?

    /// - Parameters:
    ///   - body: called by the queue's thread in a savepoint; once more where another write had SQLite roll the group back.
    ///   - told: called by the queue's thread, in no transaction, when it is certain how the write ended.
    package init(tag: String? = nil, told: ((WriteCompletion) -> Void)? = nil, _ body: @escaping Body) {
        self.tag = tag
        self.body = body
        self.told = told
    }

    func complete() {
        var error: CormorantError?
        var results: [WriteResult] = []
        switch outcome {
        case .success(let done): results = done
        case .failure(let failure): error = failure
        case nil: error = CormorantError(.internal, "a write was told before it was run")
        }
        outcome = nil
        completion = WriteCompletion(number: number, tag: tag, error: error, results: results)
    }
}
