/// The counterpart of `Row.appendJSON` for values that were copied out of their row.
func appendJSON(names: [String], values: [Value], to json: inout [UInt8]) {
    json.append(UInt8(ascii: "{"))
    for (index, name) in names.enumerated() {
        if index > 0 { json.append(UInt8(ascii: ",")) }
        appendJSONString(name.utf8, to: &json)
        json.append(UInt8(ascii: ":"))
        values[index].appendJSON(to: &json)
    }
    json.append(UInt8(ascii: "}"))
}

extension Value {
    var json: String {
        var json: [UInt8] = []
        appendJSON(to: &json)
        return String(decoding: json, as: UTF8.self)
    }

    fileprivate func appendJSON(to json: inout [UInt8]) {
        switch self {
        case .null: json.append(contentsOf: "null".utf8)
        case .integer(let value): json.append(contentsOf: "\(value)".utf8)
        case .real(let value):
            json.append(contentsOf: jsonNumber(value).utf8)
        case .text(let text): appendJSONString(text.utf8, to: &json)
        case .blob(let bytes):
            json.append(UInt8(ascii: "\""))
            bytes.withUnsafeBytes { appendBase64($0, to: &json) }
            json.append(UInt8(ascii: "\""))
        }
    }
}
