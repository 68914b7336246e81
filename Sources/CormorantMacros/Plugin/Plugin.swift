/// The plug-in: the compiler starts it once for a module, and asks one thing after the other.
@main
enum Plugin {
    static func main() {
        let connection = Connection()
        while let message = connection.receive(), connection.send(reply(to: message).json.encoded) {}
    }

    /// Whatever is asked is answered: without an answer the compiler would say no more than that the plug-in has failed.
    static func reply(to bytes: [UInt8]) -> Reply {
        do {
            switch Message(try JSONReader.read(bytes)) {
            case .capability: return .capability
            case .expansion(let expansion): return reply(to: expansion)
            case nil: return failure("was asked what it does not know; use a compiler that knows macros of Swift 6.2")
            }
        } catch {
            return failure(
                "cannot read the compiler's message, from byte \(error.position) on; this is a fault of either")
        }
    }

    private static func reply(to expansion: Message.Expansion) -> Reply {
        let problems = Problems()
        switch expansion.macro {
        case "ModelMacro":
            let code = ModelMacro(expansion, problems).code
            // What is wrong is said once, of the extension: the members of an enum are not asked for before it is compiled.
            return .expansion(code, expansion.role == .extension ? problems.diagnostics : [])
        case "PropertyMacro":
            PropertyMacro.check(expansion, problems)
            return .expansion("", problems.diagnostics)
        default:
            return failure("has no macro \(expansion.macro); build Cormorant anew")
        }
    }

    private static func failure(_ text: String) -> Reply {
        .expansion("", [Diagnostic(message: "Cormorant's macro plug-in \(text)", range: nil)])
    }
}
