// Answers the questions: for each a line with its name as JSON, then a line for each row. usage: chinook DATABASE
import Cormorant

let database = try Database(path: CommandLine.arguments[1])
for question in catalogQuestions + salesQuestions + peopleQuestions + playlistQuestions {
    print("\"\(question.name)\"")
    do {
        for row in try question.answer(database) { print(row) }
    } catch let error as CormorantError where error.code == .unsupported {
        print("null")
    }
}
