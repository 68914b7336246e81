// usage: compare PLUGIN ORACLE SEED COUNT FILE...
//
// Sends what the compiler would ask of each macro in the files, and in COUNT odd declarations made from SEED, to both plug-ins,
// and shows where they answer differently. Of what is no Swift, it only sees that the plug-in answers.

import Foundation

let arguments = CommandLine.arguments
guard arguments.count >= 5, let seed = UInt64(arguments[3]), let count = Int(arguments[4]) else {
    FileHandle.standardError.write(Data("usage: compare PLUGIN ORACLE SEED COUNT FILE...\n".utf8))
    exit(2)
}
let plugin = try PluginProcess(arguments[1])
let oracle = try PluginProcess(arguments[2])

var asked = 0
var wrong = 0
var different = 0

/// A line for each error, with the bytes that it marks; then the code.
func summary(_ reply: NSDictionary) -> String {
    let result = reply["expandMacroResult"] as? [String: Any] ?? [:]
    let errors = (result["diagnostics"] as? [[String: Any]] ?? []).map { error in
        let marked = (error["highlights"] as? [[String: Any]])?.first ?? [:]
        return "  \(marked["startOffset"] ?? "-")..<\(marked["endOffset"] ?? "-"): \(error["message"] ?? "")"
    }
    return (errors + [result["expandedSource"] as? String ?? ""]).joined(separator: "\n")
}

@MainActor func compare(_ source: String, file: String) throws {
    for request in requests(in: source, file: file) {
        asked += 1
        let answer = try plugin.ask(request.message)
        guard request.isRight else {
            wrong += 1
            continue
        }
        let expected = try oracle.ask(request.message)
        guard answer != expected else { continue }
        different += 1
        if different <= 20 {
            let shown = source.count < 2000 ? source : ""
            print("\(request.place):\n\(shown)\nplug-in:\n\(summary(answer))\noracle:\n\(summary(expected))\n")
        }
    }
}

for file in arguments.dropFirst(5) {
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
    for source in file.hasSuffix(".md") ? swiftBlocks(in: text) : [text] { try compare(source, file: file) }
}
var odd = OddModels(seed: seed)
for number in 0..<count { try compare(odd.next(), file: "odd-\(number).swift") }
print("macros: \(asked) expansions, \(wrong) of them of what is no Swift, \(different) differ")
exit(different == 0 && asked > 0 ? 0 : 1)
