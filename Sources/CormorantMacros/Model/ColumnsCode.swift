/// The text of the nested `Columns`, a record's columns as expressions.
extension ModelCode {
    var columns: String {
        let members =
            [source, sourceInitializer, expressionInitializer] + properties.enumerated().map(column)
            + relations.map(relation)
        return "\(access)nonisolated struct Columns: Cormorant.RecordColumns {\n"
            + members.joined(separator: "\n\n").split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n") + "\n}"
    }

    private var source: String { "\(access)let recordSource: Cormorant.TableSource<\(type)>" }

    private var sourceInitializer: String {
        """
        \(access)init(recordSource: Cormorant.TableSource<\(type)>) {
            self.recordSource = recordSource
        }
        """
    }

    /// A record made of expressions, to select it; as visible as all its properties are, like the memberwise one.
    private var expressionInitializer: String {
        let parameters = properties.map { "    \($0.identifier): Cormorant.SQLExpression<\($0.type)>" }
        let arguments = properties.map(\.identifier)
        return """
            \(properties.map(\.access).reduce(access, min))init(
            \(parameters.joined(separator: ",\n"))
            ) {
                self.recordSource = Cormorant.TableSource(columns: [\(arguments.joined(separator: ", "))])
            }
            """
    }

    private func column(_ index: Int, _ property: StoredProperty) -> String {
        """
        \(property.availability.code)\(min(access, property.access))var \(property.identifier): Cormorant.SQLExpression<\(property.type)> {
            self.recordSource.column(\(index))
        }
        """
    }

    private func relation(_ relation: RelationProperty) -> String {
        let isToOne = relation.kind == .toOne
        return """
            \(relation.availability.code)\(min(access, relation.access))var \(relation.identifier): \
            Cormorant.\(isToOne ? "OptionalColumns" : "RelatedRecords")<\(relation.target).Columns> {
                self.recordSource.\(isToOne ? "toOne" : "toMany")(\(swiftLiteral(relation.name)))
            }
            """
    }
}
