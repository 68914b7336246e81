/// A regular expression as REGEXP of the sqlite3 shell has them: `. * + ? {n,m} [...] (...) | ^ $` and `\b \d \s \w` with their
/// opposites. Whether one fits is found in steps as many as the text has characters times those of the pattern, whatever they
/// are: the states that the pattern may be in go over the text side by side.
package struct RegularExpression: Sendable {
    /// What is wrong with a pattern.
    package struct Fault: Error {
        package let message: String
    }

    fileprivate enum Step {
        case one(UInt32)
        case any
        case set(Int)
        /// Goes on at both.
        case fork(Int, Int)
        case jump(Int)
        case start, end, boundary, notBoundary
        case fits
    }

    fileprivate struct Characters: Sendable {
        var ranges: [ClosedRange<UInt32>] = []
        var isOpposite = false

        func contains(_ character: UInt32) -> Bool { ranges.contains { $0.contains(character) } != isOpposite }
    }

    fileprivate var program: [Step] = []
    fileprivate var sets: [Characters] = []
    private let ignoresCase: Bool
    /// Parts that were compiled, each as often as it is repeated.
    private var work = 0

    /// - Parameter pattern: Beginning with `(?i)` it ignores the case of ASCII letters.
    package init(_ pattern: UnsafeBufferPointer<UInt8>) throws(Fault) {
        var scalars: [UInt32] = []
        scalars.reserveCapacity(pattern.count)
        var position = 0
        while position < pattern.count { scalars.append(nextScalar(pattern, &position)) }
        let flag = "(?i)".unicodeScalars.map(\.value)
        ignoresCase = scalars.starts(with: flag)
        var parser = PatternParser(ignoresCase ? Array(scalars.dropFirst(flag.count)) : scalars, ignoresCase)
        let tree = try parser.parse()
        sets = parser.sets
        try add(tree)
        program.append(.fits)
    }

    // Compiling -------------------------------------------------------------------------------------------------------

    private static let greatestWork = 20_000

    private mutating func add(_ tree: PatternTree) throws(Fault) {
        work += 1
        guard work <= RegularExpression.greatestWork else { throw Fault(message: "is too large with its repetitions") }
        switch tree {
        case .step(let step): program.append(step)
        case .sequence(let parts): for part in parts { try add(part) }
        case .either(let parts):
            // A fork before each but the last, and a jump behind it to the end.
            var jumps: [Int] = []
            for (index, part) in parts.enumerated() {
                guard index < parts.count - 1 else {
                    try add(part)
                    break
                }
                let fork = program.count
                program.append(.fork(fork + 1, 0))
                try add(part)
                jumps.append(program.count)
                program.append(.jump(0))
                program[fork] = .fork(fork + 1, program.count)
            }
            for jump in jumps { program[jump] = .jump(program.count) }
        case .repeated(let part, let least, let most):
            for _ in 0..<least { try add(part) }
            guard let most else {
                let fork = program.count
                program.append(.fork(fork + 1, 0))
                try add(part)
                program.append(.jump(fork))
                program[fork] = .fork(fork + 1, program.count)
                return
            }
            var forks: [Int] = []
            for _ in least..<max(least, most) {
                forks.append(program.count)
                program.append(.fork(program.count + 1, 0))
                try add(part)
            }
            for fork in forks { program[fork] = .fork(fork + 1, program.count) }
        }
    }

    // Running ---------------------------------------------------------------------------------------------------------

    /// Whether it fits anywhere in the text.
    package func fits(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var run = Run(self, text.count)
        var position = 0
        var before: UInt32?
        while true {
            let start = position
            let next = position < text.count ? folded(nextScalar(text, &position)) : nil
            if run.enter(start, before, next) { return true }
            guard let next else { return false }
            run.advance(next)
            before = next
        }
    }

    private func folded(_ character: UInt32) -> UInt32 {
        ignoresCase && 65...90 ~= character ? character | 32 : character
    }

    private struct Run {
        let expression: RegularExpression
        let size: Int
        /// The steps that wait for a character, and those that were reached by the one before.
        var waiting: [Int] = []
        var reached: [Int] = []
        var pending: [Int] = []
        /// At which position a step was last entered.
        var entered: [Int]

        init(_ expression: RegularExpression, _ size: Int) {
            self.expression = expression
            self.size = size
            entered = [Int](repeating: -1, count: expression.program.count)
        }

        /// Goes from what was reached, and from the beginning, to all steps that wait for a character.
        /// - Returns: whether it fits.
        mutating func enter(_ position: Int, _ before: UInt32?, _ next: UInt32?) -> Bool {
            waiting.removeAll(keepingCapacity: true)
            pending.removeAll(keepingCapacity: true)
            pending.append(contentsOf: reached)
            pending.append(0)
            while let step = pending.popLast() {
                guard entered[step] != position else { continue }
                entered[step] = position
                switch expression.program[step] {
                case .one, .any, .set: waiting.append(step)
                case .fork(let first, let second):
                    pending.append(second)
                    pending.append(first)
                case .jump(let to): pending.append(to)
                case .start: if position == 0 { pending.append(step + 1) }
                case .end: if next == nil { pending.append(step + 1) }
                case .boundary: if isWord(before) != isWord(next) { pending.append(step + 1) }
                case .notBoundary: if isWord(before) == isWord(next) { pending.append(step + 1) }
                case .fits: return true
                }
            }
            return false
        }

        mutating func advance(_ next: UInt32) {
            reached.removeAll(keepingCapacity: true)
            for step in waiting {
                let goesOn =
                    switch expression.program[step] {
                    case .one(let wanted): wanted == next
                    case .set(let number): expression.sets[number].contains(next)
                    default: true
                    }
                if goesOn { reached.append(step + 1) }
            }
        }

        private func isWord(_ character: UInt32?) -> Bool {
            guard let character else { return false }
            return wordCharacters.contains { $0.contains(character) }
        }
    }
}

private let wordCharacters: [ClosedRange<UInt32>] = [48...57, 65...90, 95...95, 97...122]
private let digits: [ClosedRange<UInt32>] = [48...57]
private let spaces: [ClosedRange<UInt32>] = [9...13, 32...32]

/// The next character of UTF-8; a byte that is none is U+FFFD.
private func nextScalar(_ text: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> UInt32 {
    let first = UInt32(text[position])
    position += 1
    let (count, smallest): (Int, UInt32) =
        switch first {
        case 0..<0x80: (0, 0)
        case 0xC2..<0xE0: (1, 0x80)
        case 0xE0..<0xF0: (2, 0x800)
        case 0xF0..<0xF5: (3, 0x10000)
        default: (-1, 0)
        }
    guard count != 0 else { return first }
    guard count > 0, position + count <= text.count else { return 0xFFFD }
    var scalar = first & (0x3F >> UInt32(count))
    for offset in 0..<count {
        let byte = UInt32(text[position + offset])
        guard byte & 0xC0 == 0x80 else { return 0xFFFD }
        scalar = scalar << 6 | byte & 0x3F
    }
    guard scalar >= smallest, scalar <= 0x10FFFF, !(0xD800...0xDFFF ~= scalar) else { return 0xFFFD }
    position += count
    return scalar
}

private indirect enum PatternTree {
    case step(RegularExpression.Step)
    case sequence([PatternTree])
    case either([PatternTree])
    /// most: nil: any number.
    case repeated(PatternTree, least: Int, most: Int?)
}

private struct PatternParser {
    private typealias Fault = RegularExpression.Fault
    private let pattern: [UInt32]
    private let ignoresCase: Bool
    private var position = 0
    private var depth = 0
    fileprivate var sets: [RegularExpression.Characters] = []
    private static let greatestDepth = 100
    private static let greatestCount = 1000

    init(_ pattern: [UInt32], _ ignoresCase: Bool) { (self.pattern, self.ignoresCase) = (pattern, ignoresCase) }

    private var next: UInt32? { position < pattern.count ? pattern[position] : nil }

    private mutating func take(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first, next == scalar.value else { return false }
        position += 1
        return true
    }

    mutating func parse() throws(RegularExpression.Fault) -> PatternTree {
        let tree = try alternatives()
        guard next == nil else { throw Fault(message: "has a ) without its (") }
        return tree
    }

    private mutating func alternatives() throws(RegularExpression.Fault) -> PatternTree {
        var parts = [try sequence()]
        while take("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .either(parts)
    }

    private mutating func sequence() throws(RegularExpression.Fault) -> PatternTree {
        var parts: [PatternTree] = []
        while let character = next, character != 0x29, character != 0x7C { parts.append(try repeated()) }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func repeated() throws(RegularExpression.Fault) -> PatternTree {
        let tree = try atom()
        guard let repeated = try repeated(tree) else { return tree }
        // As few as possible are asked for: whether it fits is the same.
        _ = take("?")
        guard try self.repeated(tree) == nil else {
            throw Fault(message: "repeats what is repeated; put that into ( )")
        }
        return repeated
    }

    /// What is repeated as the next characters say; nil where they say nothing.
    private mutating func repeated(_ tree: PatternTree) throws(RegularExpression.Fault) -> PatternTree? {
        if take("*") { return .repeated(tree, least: 0, most: nil) }
        if take("+") { return .repeated(tree, least: 1, most: nil) }
        if take("?") { return .repeated(tree, least: 0, most: 1) }
        return take("{") ? try counted(tree) : nil
    }

    private mutating func counted(_ tree: PatternTree) throws(RegularExpression.Fault) -> PatternTree {
        func fault() -> Fault { Fault(message: "has a { that is not {n}, {n,} or {n,m}, up to 1000") }
        guard let least = number() else { throw fault() }
        var most: Int? = least
        if take(",") { most = number() }
        guard take("}"), most.map({ $0 >= least }) ?? (pattern[position - 2] == 0x2C) else { throw fault() }
        return .repeated(tree, least: least, most: most)
    }

    /// Digits; nil where there are none, or they are too many.
    private mutating func number() -> Int? {
        var number: Int?
        while let digit = next, 48...57 ~= digit {
            position += 1
            number = min((number ?? 0) * 10 + Int(digit - 48), PatternParser.greatestCount + 1)
        }
        return number.flatMap { $0 > PatternParser.greatestCount ? nil : $0 }
    }

    private mutating func atom() throws(RegularExpression.Fault) -> PatternTree {
        guard let character = next else { return .sequence([]) }
        position += 1
        switch character {
        case 0x28: return try group()
        case 0x5B: return try set()
        case 0x2E: return .step(.any)
        case 0x5E: return .step(.start)
        case 0x24: return .step(.end)
        case 0x2A, 0x2B, 0x3F, 0x7B:
            throw Fault(message: "has a \(text(character)) with nothing before it to repeat")
        case 0x5C:
            guard let letter = next else { throw Fault(message: "ends with a \\") }
            switch letter {
            case 0x62, 0x42:
                position += 1
                return .step(letter == 0x62 ? .boundary : .notBoundary)
            default: break
            }
            if let known = takeClass() { return add(known) }
            return one(try escaped())
        default: return one(character)
        }
    }

    private mutating func group() throws(RegularExpression.Fault) -> PatternTree {
        depth += 1
        defer { depth -= 1 }
        guard depth <= PatternParser.greatestDepth else {
            throw Fault(message: "has more than 100 ( inside each other")
        }
        if take("?"), !take(":") {
            throw Fault(message: "has a (?, of which only (?: is known, and (?i) at its beginning")
        }
        let tree = try alternatives()
        guard take(")") else { throw Fault(message: "has a ( without its )") }
        return tree
    }

    private mutating func one(_ character: UInt32) -> PatternTree {
        .step(.one(ignoresCase && 65...90 ~= character ? character | 32 : character))
    }

    private mutating func add(_ set: RegularExpression.Characters) -> PatternTree {
        sets.append(set)
        return .step(.set(sets.count - 1))
    }

    /// `\d`, `\s`, `\w` and their opposites; the backslash is taken.
    private mutating func takeClass() -> RegularExpression.Characters? {
        guard let letter = next else { return nil }
        let ranges: [ClosedRange<UInt32>]
        switch letter | 32 {
        case 0x64: ranges = digits
        case 0x73: ranges = spaces
        case 0x77: ranges = wordCharacters
        default: return nil
        }
        position += 1
        return RegularExpression.Characters(ranges: ranges, isOpposite: letter & 32 == 0)
    }

    /// The character that an escape stands for; the backslash is taken.
    private mutating func escaped() throws(RegularExpression.Fault) -> UInt32 {
        guard let letter = next else { throw Fault(message: "ends with a \\") }
        position += 1
        switch letter {
        case 0x61: return 7
        case 0x66: return 12
        case 0x6E: return 10
        case 0x72: return 13
        case 0x74: return 9
        case 0x76: return 11
        case 0x78: return try hexadecimal(2)
        case 0x75: return try hexadecimal(4)
        case 0..<128 where !wordCharacters.contains(where: { $0.contains(letter) }): return letter
        default: throw Fault(message: "has \\\(text(letter)), which stands for nothing")
        }
    }

    private mutating func hexadecimal(_ count: Int) throws(RegularExpression.Fault) -> UInt32 {
        var scalar: UInt32 = 0
        for _ in 0..<count {
            guard let digit = next, let value = Unicode.Scalar(digit).flatMap({ Character($0).hexDigitValue }) else {
                throw Fault(message: "has \\x or \\u without its 2 or 4 hexadecimal digits")
            }
            position += 1
            scalar = scalar << 4 | UInt32(value)
        }
        return scalar
    }

    /// `[...]`; the bracket is taken.
    private mutating func set() throws(RegularExpression.Fault) -> PatternTree {
        var set = RegularExpression.Characters()
        set.isOpposite = take("^")
        var isFirst = true
        while true {
            guard let character = next else { throw Fault(message: "has a [ without its ]") }
            position += 1
            if character == 0x5D, !isFirst { break }
            isFirst = false
            if character == 0x5B, let kind = next, kind == 0x3A || kind == 0x2E || kind == 0x3D {
                throw Fault(message: "has [\(text(kind)) in a [...], which is not known: write the characters")
            }
            var first = character
            if character == 0x5C {
                if let known = takeClass() {
                    set.ranges += known.isOpposite ? opposite(of: known.ranges) : known.ranges
                    continue
                }
                first = try escaped()
            }
            var last = first
            // A hyphen before the end is itself.
            if next == 0x2D, position + 1 < pattern.count, pattern[position + 1] != 0x5D {
                position += 1
                guard let end = next else { throw Fault(message: "has a [ without its ]") }
                position += 1
                last = end == 0x5C ? try escaped() : end
                guard first <= last else {
                    throw Fault(message: "has the range \(text(first))-\(text(last)), which is empty")
                }
            }
            set.ranges.append(first...last)
        }
        if ignoresCase { set.ranges += lowered(set.ranges) }
        return add(set)
    }

    private func opposite(of ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        var start: UInt32 = 0
        for range in ranges {
            if start < range.lowerBound { result.append(start...(range.lowerBound - 1)) }
            start = range.upperBound + 1
        }
        result.append(start...0x10FFFF)
        return result
    }

    /// The small letters of the capital ones in them: texts are lowered before they are looked at.
    private func lowered(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        ranges.compactMap { range in
            guard range.overlaps(65...90) else { return nil }
            return (max(range.lowerBound, 65) | 32)...(min(range.upperBound, 90) | 32)
        }
    }

    private func text(_ scalar: UInt32) -> String { Unicode.Scalar(scalar).map { String(Character($0)) } ?? "?" }
}
