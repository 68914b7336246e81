import CormorantQuery

extension Metadata {
    /// The metadata as one JSON document, which docs/metadata.schema.json describes.
    public var json: String {
        var out = JSONDocument()
        out.object {
            $0.member("version", 1)
            $0.array("tables", tables) { out, table in out.object(table.write) }
            $0.array("problems", problems) { out, problem in
                out.object {
                    $0.member("type", problem.type)
                    $0.member("name", problem.name)
                    $0.member("table", problem.table)
                    $0.member("sql", problem.sql)
                    $0.member("message", problem.message)
                }
            }
        }
        return out.text
    }
}

extension TableMetadata {
    fileprivate func write(_ out: inout JSONDocument) {
        out.member("name", name)
        out.member("kind", kind.rawValue)
        out.member("sql", sql)
        out.member("module", module?.name)
        out.array("module_arguments", module?.arguments ?? []) { $0.value($1) }
        out.member("is_strict", isStrict)
        out.member("is_without_rowid", isWithoutRowID)
        out.member("is_auto_increment", isAutoIncrement)
        out.array("columns", columns) { out, column in out.object(column.write) }
        out.array("primary_key", primaryKey) { $0.value($1) }
        out.member("rowid_column", rowIDColumn)
        out.array("foreign_keys", foreignKeys) { out, key in out.object(key.write) }
        out.array("indexes", indexes) { out, index in out.object(index.write) }
        out.array("checks", checks) { out, check in
            out.object {
                $0.member("name", check.name)
                $0.member("sql", check.sql)
                $0.member("column", check.column)
            }
        }
        out.array("triggers", triggers) { out, trigger in
            out.object {
                $0.member("name", trigger.name)
                $0.member("timing", trigger.timing.rawValue)
                $0.member("event", trigger.event.rawValue)
                $0.array("columns", trigger.columns) { $0.value($1) }
                $0.member("sql", trigger.sql)
            }
        }
        out.array("relations", relations) { out, relation in out.object(relation.write) }
    }
}

extension ColumnMetadata {
    fileprivate func write(_ out: inout JSONDocument) {
        out.member("name", name)
        out.member("declared_type", declaredType)
        out.member("affinity", affinity.rawValue)
        out.member("type", typeName)
        out.member("length", length.map(Int64.init))
        out.member("is_nullable", isNullable)
        out.member("default_sql", defaultSQL)
        out.member("collation", collation)
        out.member("key_position", Int64(keyPosition))
        out.member("is_unique", isUnique)
        out.member("is_foreign_key", isForeignKey)
        out.member("is_hidden", isHidden)
        out.member("generated_sql", generatedSQL)
        out.member("is_stored", isStored)
        out.member("swift_type", swiftType)
        out.member("c_type", cType)
        out.member("python_type", pythonType)
        out.member("is_key", isKey)
        out.member("is_generated", isGenerated)
        out.member("is_simple_type", isSimpleType)
        out.member("is_integer", isInteger)
        out.member("is_real", isReal)
        out.member("is_number", isNumber)
        out.member("is_bool", isBool)
        out.member("is_text", isText)
        out.member("is_blob", isBlob)
        out.member("is_date", isDate)
        out.member("is_uuid", isUUID)
        out.member("is_json", isJSON)
    }
}

extension ForeignKeyMetadata {
    fileprivate func write(_ out: inout JSONDocument) {
        out.member("name", name)
        out.array("columns", columns) { $0.value($1) }
        out.member("table", table)
        out.array("table_columns", tableColumns) { $0.value($1) }
        out.member("on_delete", onDelete.name)
        out.member("on_update", onUpdate.name)
        out.member("is_deferred", isDeferred)
    }
}

extension IndexMetadata {
    fileprivate func write(_ out: inout JSONDocument) {
        out.member("name", name)
        out.member("origin", origin.rawValue)
        out.member("is_unique", isUnique)
        out.array("terms", terms) { out, term in
            out.object {
                $0.member("column", term.column)
                $0.member("sql", term.sql)
                $0.member("collation", term.collation)
                $0.member("is_descending", term.isDescending)
            }
        }
        out.member("condition_sql", conditionSQL)
    }
}

extension RelationMetadata {
    fileprivate func write(_ out: inout JSONDocument) {
        out.member("kind", kind.rawValue)
        out.member("table", table)
        out.array("columns", columns) { $0.value($1) }
        out.array("table_columns", tableColumns) { $0.value($1) }
        out.member("through", through)
        out.array("through_columns", throughColumns) { $0.value($1) }
        out.array("through_table_columns", throughTableColumns) { $0.value($1) }
        out.member("is_self", isSelf)
        out.member("is_unique", isUnique)
        out.member("is_optional", isOptional)
    }
}
