"""The C interface as data. Written by scripts/check-abi --update: do not edit."""

from typing import Final

CORM_ACTION_CASCADE: Final = 4
CORM_ACTION_NONE: Final = 0
CORM_ACTION_RESTRICT: Final = 1
CORM_ACTION_SET_DEFAULT: Final = 3
CORM_ACTION_SET_NULL: Final = 2
CORM_AGAIN: Final = 5
CORM_ASCENDING: Final = 0
CORM_BATCH_CONTINUE: Final = 1
CORM_BATCH_ROLLBACK: Final = 0
CORM_BLOB: Final = 8
CORM_BOOL: Final = 3
CORM_CHANGED: Final = 6
CORM_CHANGE_DELETE: Final = 3
CORM_CHANGE_INSERT: Final = 1
CORM_CHANGE_UNKNOWN: Final = 0
CORM_CHANGE_UPDATE: Final = 2
CORM_CHECKPOINT_FULL: Final = 1
CORM_CHECKPOINT_PASSIVE: Final = 0
CORM_CHECKPOINT_RESTART: Final = 2
CORM_CHECKPOINT_TRUNCATE: Final = 3
CORM_CLAUSE_COLUMN: Final = 1
CORM_CLAUSE_GROUP_BY: Final = 3
CORM_CLAUSE_HAVING: Final = 4
CORM_CLAUSE_LIMIT: Final = 6
CORM_CLAUSE_OFFSET: Final = 7
CORM_CLAUSE_ORDER_BY: Final = 5
CORM_CLAUSE_RETURNING: Final = 8
CORM_CLAUSE_WHERE: Final = 2
CORM_CODEC_MISMATCH: Final = 1
CORM_CONFLICT_ABORT: Final = 0
CORM_CONFLICT_FAIL: Final = 3
CORM_CONFLICT_IGNORE: Final = 1
CORM_CONFLICT_REPLACE: Final = 2
CORM_CONFLICT_ROLLBACK: Final = 4
CORM_DATETIME: Final = 9
CORM_DECIMAL: Final = 11
CORM_DELETE: Final = 4
CORM_DESCENDING: Final = 1
CORM_DONE: Final = 2
CORM_DOUBLE: Final = 4
CORM_EXCEPT: Final = 3
CORM_E_ALTERED: Final = -41
CORM_E_BINDING: Final = -13
CORM_E_BUSY: Final = -8
CORM_E_CALLBACK: Final = -27
CORM_E_CANNOT_OPEN: Final = -5
CORM_E_CHECK: Final = -18
CORM_E_CIPHER: Final = -43
CORM_E_CONSTRAINT: Final = -14
CORM_E_CORRUPT: Final = -9
CORM_E_ENCODING: Final = -21
CORM_E_FOREIGN_KEY: Final = -17
CORM_E_FULL: Final = -10
CORM_E_INTERNAL: Final = -3
CORM_E_INTERRUPTED: Final = -11
CORM_E_IO: Final = -4
CORM_E_JSON: Final = -30
CORM_E_KEY_MISSING: Final = -39
CORM_E_MIGRATION: Final = -31
CORM_E_MIGRATION_DIRTY: Final = -35
CORM_E_MIGRATION_DRIFT: Final = -37
CORM_E_MIGRATION_MISSING: Final = -33
CORM_E_MIGRATION_MODIFIED: Final = -32
CORM_E_MIGRATION_NEWER: Final = -36
CORM_E_MIGRATION_ORDER: Final = -34
CORM_E_MISUSE: Final = -1
CORM_E_MODEL: Final = -23
CORM_E_NOT_A_DATABASE: Final = -6
CORM_E_NOT_ENCRYPTED: Final = -40
CORM_E_NOT_NULL: Final = -16
CORM_E_NO_MEMORY: Final = -2
CORM_E_NO_RECORD: Final = -28
CORM_E_NULL_VALUE: Final = -22
CORM_E_RANGE: Final = -20
CORM_E_READ_ONLY: Final = -7
CORM_E_SCHEMA: Final = -24
CORM_E_SQL: Final = -12
CORM_E_SQLITE: Final = -29
CORM_E_TOO_BIG: Final = -26
CORM_E_TRANSACTION: Final = -25
CORM_E_TRUNCATED: Final = -42
CORM_E_TYPE: Final = -19
CORM_E_UNIQUE: Final = -15
CORM_E_WRONG_KEY: Final = -38
CORM_FIELD_BLOB: Final = 7
CORM_FIELD_BOOL: Final = 2
CORM_FIELD_CHARACTERS: Final = 5
CORM_FIELD_CHARACTER_ARRAY: Final = 18
CORM_FIELD_DOUBLE: Final = 3
CORM_FIELD_FLOAT: Final = 4
CORM_FIELD_INTEGER: Final = 1
CORM_FIELD_OPTIONAL_BOOL: Final = 11
CORM_FIELD_OPTIONAL_DOUBLE: Final = 12
CORM_FIELD_OPTIONAL_FLOAT: Final = 13
CORM_FIELD_OPTIONAL_INT32: Final = 10
CORM_FIELD_OPTIONAL_INT64: Final = 9
CORM_FIELD_OPTIONAL_UUID: Final = 14
CORM_FIELD_OTHER: Final = 16
CORM_FIELD_TEXT: Final = 6
CORM_FIELD_UNSIGNED: Final = 17
CORM_FIELD_UUID: Final = 8
CORM_FIELD_VALUE: Final = 15
CORM_FLOAT: Final = 5
CORM_IGNORED: Final = 4
CORM_INSERT: Final = 2
CORM_INT32: Final = 2
CORM_INT64: Final = 1
CORM_INTERSECT: Final = 2
CORM_JOIN_CROSS: Final = 2
CORM_JOIN_INNER: Final = 0
CORM_JOIN_LEFT: Final = 1
CORM_JOURNAL_DEFAULT: Final = 0
CORM_JOURNAL_DELETE: Final = 2
CORM_JOURNAL_MEMORY: Final = 5
CORM_JOURNAL_OFF: Final = 6
CORM_JOURNAL_PERSIST: Final = 4
CORM_JOURNAL_TRUNCATE: Final = 3
CORM_JOURNAL_WAL: Final = 1
CORM_JSON: Final = 12
CORM_JSON_COLUMNS: Final = 1
CORM_JSON_PROPERTIES: Final = 0
CORM_KEY_INDEX: Final = 3
CORM_KEY_PRIMARY: Final = 1
CORM_KEY_UNIQUE: Final = 2
CORM_MANY_TO_MANY: Final = 3
CORM_NOT_FOUND: Final = 3
CORM_NULLS_FIRST: Final = 1
CORM_NULLS_LAST: Final = 2
CORM_NULLS_LEAST: Final = 0
CORM_OK: Final = 0
CORM_OPEN_CREATE: Final = 0
CORM_OPEN_READ_ONLY: Final = 2
CORM_OPEN_READ_WRITE: Final = 1
CORM_OP_ADD: Final = 20
CORM_OP_BIT_AND: Final = 26
CORM_OP_BIT_NOT: Final = 3
CORM_OP_BIT_OR: Final = 27
CORM_OP_CONCAT: Final = 25
CORM_OP_CONTAINS: Final = 37
CORM_OP_DIVIDE: Final = 23
CORM_OP_EQUAL: Final = 10
CORM_OP_GLOB: Final = 32
CORM_OP_GREATER: Final = 14
CORM_OP_GREATER_EQUAL: Final = 15
CORM_OP_HAS_PREFIX: Final = 35
CORM_OP_HAS_SUFFIX: Final = 36
CORM_OP_IS: Final = 16
CORM_OP_IS_NOT: Final = 17
CORM_OP_IS_NOT_NULL: Final = 5
CORM_OP_IS_NULL: Final = 4
CORM_OP_JSON_AT: Final = 38
CORM_OP_JSON_VALUE_AT: Final = 39
CORM_OP_LESS: Final = 12
CORM_OP_LESS_EQUAL: Final = 13
CORM_OP_LIKE: Final = 30
CORM_OP_MATCH: Final = 34
CORM_OP_MULTIPLY: Final = 22
CORM_OP_NEGATE: Final = 2
CORM_OP_NOT: Final = 1
CORM_OP_NOT_EQUAL: Final = 11
CORM_OP_NOT_GLOB: Final = 33
CORM_OP_NOT_LIKE: Final = 31
CORM_OP_REMAINDER: Final = 24
CORM_OP_SHIFT_LEFT: Final = 28
CORM_OP_SHIFT_RIGHT: Final = 29
CORM_OP_SUBTRACT: Final = 21
CORM_REMOVED_DELETE: Final = 1
CORM_REMOVED_KEEP: Final = 0
CORM_RISK_ANNOTATED: Final = 1
CORM_RISK_LOSSY: Final = 2
CORM_RISK_SAFE: Final = 0
CORM_RISK_UNCHECKED: Final = 3
CORM_RISK_UNDECIDED: Final = 4
CORM_ROW: Final = 1
CORM_SELECT: Final = 1
CORM_STEP_APPLIED: Final = 1
CORM_STEP_DIRTY: Final = 5
CORM_STEP_MISSING: Final = 3
CORM_STEP_MODIFIED: Final = 2
CORM_STEP_NEWER: Final = 6
CORM_STEP_ORDER: Final = 4
CORM_STEP_PENDING: Final = 0
CORM_SYNCHRONOUS_DEFAULT: Final = 0
CORM_SYNCHRONOUS_EXTRA: Final = 4
CORM_SYNCHRONOUS_FULL: Final = 3
CORM_SYNCHRONOUS_NORMAL: Final = 2
CORM_SYNCHRONOUS_OFF: Final = 1
CORM_TABLE_ORDINARY: Final = 0
CORM_TABLE_VIEW: Final = 2
CORM_TABLE_VIRTUAL: Final = 1
CORM_TEXT: Final = 6
CORM_TO_MANY: Final = 2
CORM_TO_ONE: Final = 1
CORM_TRANSACTION_DEFERRED: Final = 1
CORM_TRANSACTION_EXCLUSIVE: Final = 2
CORM_TRANSACTION_IMMEDIATE: Final = 0
CORM_TRANSACTION_READ: Final = 3
CORM_UNION: Final = 0
CORM_UNION_ALL: Final = 1
CORM_UPDATE: Final = 3
CORM_UUID: Final = 10
CORM_VALUE_BLOB: Final = 4
CORM_VALUE_DATETIME: Final = 6
CORM_VALUE_INTEGER: Final = 1
CORM_VALUE_NULL: Final = 0
CORM_VALUE_REAL: Final = 2
CORM_VALUE_TEXT: Final = 3
CORM_VALUE_UNSIGNED: Final = 5
CORM_VALUE_UUID: Final = 7
CORM_VARCHAR: Final = 7
CORM_VERSION: Final = "0.1.0"
CORM_VERSION_MAJOR: Final = 0
CORM_VERSION_MINOR: Final = 1
CORM_VERSION_PATCH: Final = 0
CORM_WRITE_INSERT: Final = 1
CORM_WRITE_SAVE: Final = 2
CORM_NODE_AGGREGATE: Final = 23
CORM_NODE_ALL: Final = 7
CORM_NODE_ANY: Final = 8
CORM_NODE_AS: Final = 20
CORM_NODE_BETWEEN: Final = 9
CORM_NODE_BINARY: Final = 6
CORM_NODE_CALL: Final = 15
CORM_NODE_CASE: Final = 12
CORM_NODE_CAST: Final = 13
CORM_NODE_COLLATE: Final = 14
CORM_NODE_COLUMN: Final = 1
CORM_NODE_EXISTS: Final = 17
CORM_NODE_IN: Final = 10
CORM_NODE_IN_SELECT: Final = 11
CORM_NODE_NAME: Final = 2
CORM_NODE_ORDER: Final = 19
CORM_NODE_PARAMETER: Final = 4
CORM_NODE_PATH: Final = 21
CORM_NODE_RAW: Final = 18
CORM_NODE_RELATED: Final = 22
CORM_NODE_SELECT: Final = 16
CORM_NODE_UNARY: Final = 5
CORM_NODE_VALUE: Final = 3
CORM_PART_AFTER: Final = 7
CORM_PART_CLAUSE: Final = 3
CORM_PART_COMPOUND: Final = 5
CORM_PART_CONFLICT: Final = 10
CORM_PART_DISTINCT: Final = 4
CORM_PART_FROM: Final = 1
CORM_PART_JOIN: Final = 2
CORM_PART_JOIN_RELATION: Final = 13
CORM_PART_SELECT: Final = 9
CORM_PART_SET: Final = 8
CORM_PART_UPSERT: Final = 11
CORM_PART_UPSERT_SET: Final = 12
CORM_PART_WITH: Final = 6
CORM_WRITE_DELETE: Final = 4
CORM_WRITE_UPDATE: Final = 3

# Struct: its members and their types, in order.
STRUCTS: dict[str, tuple[tuple[str, str], ...]] = {
    "corm_text": (
        ("data", "text"),
        ("size", "size"),
    ),
    "corm_blob": (
        ("data", "pointer"),
        ("size", "size"),
    ),
    "corm_uuid": (
        ("bytes", "uint8[16]"),
    ),
    "corm_optional_int64": (
        ("has_value", "bool"),
        ("value", "int64"),
    ),
    "corm_optional_int32": (
        ("has_value", "bool"),
        ("value", "int32"),
    ),
    "corm_optional_bool": (
        ("has_value", "bool"),
        ("value", "bool"),
    ),
    "corm_optional_double": (
        ("has_value", "bool"),
        ("value", "double"),
    ),
    "corm_optional_float": (
        ("has_value", "bool"),
        ("value", "float"),
    ),
    "corm_optional_uuid": (
        ("has_value", "bool"),
        ("value", "corm_uuid"),
    ),
    "corm_value": (
        ("name", "text"),
        ("type", "int32"),
        ("reserved", "int32"),
        ("as", "union:int64,uint64,double,corm_blob"),
    ),
    "corm_open_options": (
        ("struct_size", "uint32"),
        ("mode", "int32"),
        ("template_path", "text"),
        ("busy_timeout", "int32"),
        ("journal_mode", "int32"),
        ("synchronous", "int32"),
        ("foreign_keys_off", "bool"),
        ("statement_cache_size", "int32"),
        ("cipher", "pointer"),
        ("reader_count", "int32"),
        ("auto_sync", "bool"),
        ("reserved", "uint8[3]"),
    ),
    "corm_transform": (
        ("struct_size", "uint32"),
        ("encode", "pointer"),
        ("decode", "pointer"),
        ("context", "pointer"),
    ),
    "corm_column_def": (
        ("name", "text"),
        ("offset", "size"),
        ("size", "size"),
        ("field", "int32"),
        ("type", "int32"),
        ("length", "uint32"),
        ("column", "text"),
        ("primary_key", "bool"),
        ("auto_increment", "bool"),
        ("not_null", "bool"),
        ("unique", "bool"),
        ("indexed", "bool"),
        ("is_unsigned", "bool"),
        ("default_sql", "text"),
        ("check_sql", "text"),
        ("computed_sql", "text"),
        ("collation", "text"),
        ("references_table", "text"),
        ("references_column", "text"),
        ("on_delete", "int32"),
        ("on_update", "int32"),
        ("transform", "pointer"),
        ("json_key", "text"),
        ("json_optional", "bool"),
        ("renamed_from", "text"),
        ("convert_sql", "text"),
    ),
    "corm_key_def": (
        ("kind", "int32"),
        ("columns", "pointer"),
        ("column_count", "size"),
        ("name", "text"),
        ("where_sql", "text"),
    ),
    "corm_reference_def": (
        ("columns", "pointer"),
        ("column_count", "size"),
        ("table", "text"),
        ("table_columns", "pointer"),
        ("on_delete", "int32"),
        ("on_update", "int32"),
    ),
    "corm_model_def": (
        ("struct_size", "uint32"),
        ("column_def_size", "uint32"),
        ("key_def_size", "uint32"),
        ("reference_def_size", "uint32"),
        ("name", "text"),
        ("record_size", "size"),
        ("column_count", "size"),
        ("columns", "pointer"),
        ("table", "text"),
        ("keys", "pointer"),
        ("key_count", "size"),
        ("references", "pointer"),
        ("reference_count", "size"),
        ("checks", "pointer"),
        ("check_count", "size"),
        ("column_order", "pointer"),
        ("column_order_count", "size"),
        ("without_rowid", "bool"),
        ("strict", "bool"),
        ("module", "text"),
        ("module_arguments", "pointer"),
        ("module_argument_count", "size"),
        ("renamed_from", "text"),
        ("allow_drop", "pointer"),
        ("allow_drop_count", "size"),
        ("seed_sql", "text"),
    ),
    "corm_model_column": (
        ("property", "text"),
        ("name", "text"),
        ("type", "int32"),
        ("key_position", "uint32"),
    ),
    "corm_progress": (
        ("step", "text"),
        ("index", "size"),
        ("count", "size"),
        ("done", "int64"),
        ("total", "int64"),
    ),
    "corm_migration_options": (
        ("struct_size", "uint32"),
        ("allow_drop", "pointer"),
        ("allow_drop_count", "size"),
        ("snapshot", "text"),
        ("drop_snapshot", "bool"),
        ("progress", "pointer"),
        ("context", "pointer"),
        ("allow_lossy", "bool"),
        ("reserved", "uint8[7]"),
    ),
    "corm_plan_step": (
        ("summary", "text"),
        ("changes", "text"),
        ("sql", "text"),
        ("risk", "int32"),
        ("rows", "int64"),
        ("problems", "text"),
    ),
    "corm_bundle_step": (
        ("struct_size", "uint32"),
        ("id", "text"),
        ("up_sql", "text"),
        ("down_sql", "text"),
        ("up", "pointer"),
        ("down", "pointer"),
        ("context", "pointer"),
        ("schema_sql", "text"),
    ),
    "corm_bundle_state": (
        ("id", "text"),
        ("state", "int32"),
        ("started", "text"),
        ("finished", "text"),
    ),
    "corm_version_step": (
        ("struct_size", "uint32"),
        ("version", "int32"),
        ("up_sql", "text"),
        ("down_sql", "text"),
        ("up", "pointer"),
        ("down", "pointer"),
        ("context", "pointer"),
    ),
    "corm_cache_statistics": (
        ("struct_size", "uint32"),
        ("reserved", "uint32"),
        ("hits", "int64"),
        ("misses", "int64"),
        ("count", "int64"),
        ("bytes", "int64"),
    ),
    "corm_codec": (
        ("struct_size", "uint32"),
        ("page_size", "uint32"),
        ("reserve", "uint32"),
        ("open", "pointer"),
        ("encrypt", "pointer"),
        ("decrypt", "pointer"),
        ("close", "pointer"),
        ("context", "pointer"),
    ),
    "corm_cipher_options": (
        ("struct_size", "uint32"),
        ("compatibility", "int32"),
        ("key", "pointer"),
        ("key_size", "size"),
        ("provider", "pointer"),
        ("context", "pointer"),
        ("page_size", "int32"),
        ("rounds", "int32"),
        ("plain_header_size", "int32"),
        ("sole_writer", "bool"),
        ("codec", "pointer"),
    ),
    "corm_source": (
        ("struct_size", "uint32"),
        ("model", "pointer"),
        ("select", "pointer"),
        ("name", "text"),
        ("alias", "text"),
    ),
    "corm_query": (
        ("struct_size", "uint32"),
        ("sql", "text"),
        ("values", "pointer"),
        ("value_count", "size"),
        ("order_by", "pointer"),
        ("order_by_count", "size"),
        ("limit", "int64"),
        ("offset", "int64"),
        ("statement", "pointer"),
    ),
    "ArrowSchema": (
        ("format", "text"),
        ("name", "text"),
        ("metadata", "text"),
        ("flags", "int64"),
        ("n_children", "int64"),
        ("children", "pointer"),
        ("dictionary", "pointer"),
        ("release", "pointer"),
        ("private_data", "pointer"),
    ),
    "ArrowArray": (
        ("length", "int64"),
        ("null_count", "int64"),
        ("offset", "int64"),
        ("n_buffers", "int64"),
        ("n_children", "int64"),
        ("buffers", "pointer"),
        ("children", "pointer"),
        ("dictionary", "pointer"),
        ("release", "pointer"),
        ("private_data", "pointer"),
    ),
    "ArrowArrayStream": (
        ("get_schema", "pointer"),
        ("get_next", "pointer"),
        ("get_last_error", "pointer"),
        ("release", "pointer"),
        ("private_data", "pointer"),
    ),
    "corm_relation_def": (
        ("struct_size", "uint32"),
        ("name", "text"),
        ("kind", "int32"),
        ("target", "pointer"),
        ("junction", "pointer"),
        ("columns", "pointer"),
        ("column_count", "size"),
        ("target_columns", "pointer"),
        ("target_column_count", "size"),
    ),
    "corm_load_options": (
        ("struct_size", "uint32"),
        ("condition", "pointer"),
        ("order_by", "pointer"),
        ("order_by_count", "size"),
        ("limit", "int64"),
    ),
    "corm_json_options": (
        ("struct_size", "uint32"),
        ("names", "int32"),
        ("path", "text"),
        ("refuse_unknown", "bool"),
        ("lines", "bool"),
        ("reserved", "uint8[6]"),
    ),
    "corm_json_nested": (
        ("struct_size", "uint32"),
        ("relations", "text"),
        ("related", "pointer"),
    ),
    "corm_store_entry": (
        ("struct_size", "uint32"),
        ("key", "corm_text"),
        ("value", "corm_value"),
        ("is_json", "bool"),
        ("expires", "int64"),
        ("version", "int64"),
        ("created", "int64"),
        ("updated", "int64"),
    ),
    "corm_store_range": (
        ("struct_size", "uint32"),
        ("prefix", "corm_text"),
        ("start", "corm_text"),
        ("end", "corm_text"),
        ("after", "corm_text"),
        ("limit", "int64"),
    ),
    "corm_column_metadata": (
        ("name", "text"),
        ("declared_type", "text"),
        ("affinity", "text"),
        ("type", "int32"),
        ("length", "uint32"),
        ("default_sql", "text"),
        ("collation", "text"),
        ("generated_sql", "text"),
        ("key_position", "uint32"),
        ("is_nullable", "bool"),
        ("is_unique", "bool"),
        ("is_foreign_key", "bool"),
        ("is_hidden", "bool"),
        ("is_stored", "bool"),
        ("is_simple_type", "bool"),
        ("swift_type", "text"),
        ("c_type", "text"),
        ("python_type", "text"),
    ),
    "corm_foreign_key_metadata": (
        ("name", "text"),
        ("columns", "pointer"),
        ("column_count", "size"),
        ("table", "text"),
        ("table_columns", "pointer"),
        ("table_column_count", "size"),
        ("on_delete", "int32"),
        ("on_update", "int32"),
        ("is_deferred", "bool"),
    ),
    "corm_index_term_metadata": (
        ("column", "text"),
        ("sql", "text"),
        ("collation", "text"),
        ("is_descending", "bool"),
    ),
    "corm_index_metadata": (
        ("name", "text"),
        ("origin", "text"),
        ("is_unique", "bool"),
        ("terms", "pointer"),
        ("term_count", "size"),
        ("condition_sql", "text"),
    ),
    "corm_check_metadata": (
        ("name", "text"),
        ("sql", "text"),
        ("column", "text"),
    ),
    "corm_trigger_metadata": (
        ("name", "text"),
        ("timing", "text"),
        ("event", "text"),
        ("columns", "pointer"),
        ("column_count", "size"),
        ("sql", "text"),
    ),
    "corm_relation_metadata": (
        ("kind", "int32"),
        ("table", "text"),
        ("columns", "pointer"),
        ("column_count", "size"),
        ("table_columns", "pointer"),
        ("table_column_count", "size"),
        ("through", "text"),
        ("through_columns", "pointer"),
        ("through_column_count", "size"),
        ("through_table_columns", "pointer"),
        ("through_table_column_count", "size"),
        ("is_self", "bool"),
        ("is_unique", "bool"),
        ("is_optional", "bool"),
    ),
    "corm_table_metadata": (
        ("name", "text"),
        ("kind", "int32"),
        ("sql", "text"),
        ("module", "text"),
        ("module_arguments", "pointer"),
        ("module_argument_count", "size"),
        ("is_strict", "bool"),
        ("is_without_rowid", "bool"),
        ("is_auto_increment", "bool"),
        ("columns", "pointer"),
        ("column_count", "size"),
        ("primary_key", "pointer"),
        ("primary_key_count", "size"),
        ("rowid_column", "text"),
        ("foreign_keys", "pointer"),
        ("foreign_key_count", "size"),
        ("indexes", "pointer"),
        ("index_count", "size"),
        ("checks", "pointer"),
        ("check_count", "size"),
        ("triggers", "pointer"),
        ("trigger_count", "size"),
        ("relations", "pointer"),
        ("relation_count", "size"),
    ),
    "corm_metadata_problem": (
        ("type", "text"),
        ("name", "text"),
        ("table", "text"),
        ("sql", "text"),
        ("message", "text"),
    ),
    "corm_change": (
        ("kind", "int32"),
        ("table", "text"),
        ("row_id", "int64"),
        ("key", "pointer"),
        ("key_count", "size"),
        ("old_values", "pointer"),
        ("old_count", "size"),
        ("new_values", "pointer"),
        ("new_count", "size"),
        ("position", "int64"),
    ),
    "corm_region": (
        ("struct_size", "uint32"),
        ("table", "text"),
        ("columns", "pointer"),
        ("column_count", "size"),
    ),
    "corm_observe_options": (
        ("struct_size", "uint32"),
        ("model", "pointer"),
        ("key", "pointer"),
        ("key_count", "size"),
        ("regions", "pointer"),
        ("region_count", "size"),
        ("query", "pointer"),
        ("live", "bool"),
        ("key_columns", "pointer"),
        ("key_column_count", "size"),
        ("values", "bool"),
        ("latest_only", "bool"),
        ("callback", "pointer"),
        ("context", "pointer"),
        ("release", "pointer"),
    ),
    "corm_queue_options": (
        ("struct_size", "uint32"),
        ("capacity", "uint32"),
    ),
    "corm_write_options": (
        ("struct_size", "uint32"),
        ("no_wait", "bool"),
        ("tag", "text"),
        ("callback", "pointer"),
        ("context", "pointer"),
    ),
    "corm_write_result": (
        ("changes", "int64"),
        ("generated_key", "int64"),
        ("error", "pointer"),
    ),
    "corm_listen_options": (
        ("struct_size", "uint32"),
        ("tag", "text"),
        ("callback", "pointer"),
        ("context", "pointer"),
        ("release", "pointer"),
    ),
    "corm_registry_migration": (
        ("name", "text"),
        ("index", "size"),
        ("count", "size"),
        ("steps", "size"),
        ("error", "pointer"),
    ),
    "corm_block": (
        ("data", "pointer"),
        ("size", "size"),
        ("capacity", "size"),
        ("owned", "bool"),
    ),
    "corm_python_table": (
        ("database", "pointer"),
        ("model", "pointer"),
    ),
}

# Function: what it returns and takes.
FUNCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "corm_status_name": ("text", ("int32",)),
    "corm_version": ("text", ()),
    "corm_sqlite_version": ("text", ()),
    "corm_error_create": ("pointer", ("int32", "text", "text")),
    "corm_error_free": ("void", ("pointer",)),
    "corm_error_code": ("int32", ("pointer",)),
    "corm_error_sqlite_code": ("int32", ("pointer",)),
    "corm_error_message": ("text", ("pointer",)),
    "corm_error_hint": ("text", ("pointer",)),
    "corm_error_sql": ("text", ("pointer",)),
    "corm_error_offset": ("int32", ("pointer",)),
    "corm_error_table": ("text", ("pointer",)),
    "corm_error_columns": ("pointer", ("pointer", "pointer")),
    "corm_error_constraint": ("text", ("pointer",)),
    "corm_error_record_index": ("int64", ("pointer",)),
    "corm_arena_create": ("pointer", ()),
    "corm_arena_clear": ("void", ("pointer",)),
    "corm_arena_free": ("void", ("pointer",)),
    "corm_arena_copy": ("pointer", ("pointer", "pointer", "size")),
    "corm_database_open": ("int32", ("text", "pointer", "pointer", "pointer")),
    "corm_database_close": ("int32", ("pointer", "pointer")),
    "corm_database_execute": ("int32", ("pointer", "text", "pointer", "size", "pointer", "pointer")),
    "corm_database_execute_script": ("int32", ("pointer", "text", "pointer")),
    "corm_database_last_insert_id": ("int64", ("pointer",)),
    "corm_database_changes": ("int64", ("pointer",)),
    "corm_database_total_changes": ("int64", ("pointer",)),
    "corm_database_path": ("text", ("pointer",)),
    "corm_database_interrupt": ("void", ("pointer",)),
    "corm_database_set_trace": ("int32", ("pointer", "callback", "pointer", "pointer")),
    "corm_model_create": ("int32", ("pointer", "pointer", "pointer")),
    "corm_model_create_suffixed": ("int32", ("pointer", "text", "pointer", "pointer")),
    "corm_model_create_attached": ("int32", ("pointer", "text", "pointer", "pointer")),
    "corm_model_free": ("void", ("pointer",)),
    "corm_model_name": ("text", ("pointer",)),
    "corm_model_table": ("text", ("pointer",)),
    "corm_model_column_count": ("size", ("pointer",)),
    "corm_model_column_get": ("pointer", ("pointer", "size")),
    "corm_model_key_count": ("size", ("pointer",)),
    "corm_model_generates_key": ("bool", ("pointer",)),
    "corm_model_create_sql": ("text", ("pointer",)),
    "corm_model_create_tables": ("int32", ("pointer", "pointer", "size", "pointer")),
    "corm_model_table_exists": ("int32", ("pointer", "pointer", "pointer")),
    "corm_schema_read": ("int32", ("pointer", "pointer", "pointer")),
    "corm_schema_parse": ("int32", ("text", "pointer", "pointer")),
    "corm_schema_create": ("int32", ("pointer", "size", "pointer", "pointer")),
    "corm_schema_free": ("void", ("pointer",)),
    "corm_schema_sql": ("text", ("pointer",)),
    "corm_schema_hash": ("text", ("pointer",)),
    "corm_migration_sync": ("int32", ("pointer", "pointer", "size", "pointer", "pointer", "pointer")),
    "corm_migration_plan": ("int32", ("pointer", "pointer", "size", "pointer", "pointer", "pointer")),
    "corm_plan_create": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_plan_apply": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_plan_free": ("void", ("pointer",)),
    "corm_plan_step_count": ("size", ("pointer",)),
    "corm_plan_step_get": ("pointer", ("pointer", "size")),
    "corm_plan_problem_count": ("size", ("pointer",)),
    "corm_plan_risk": ("int32", ("pointer",)),
    "corm_plan_text": ("text", ("pointer",)),
    "corm_plan_sql": ("text", ("pointer",)),
    "corm_plan_json": ("text", ("pointer",)),
    "corm_migration_restore": ("int32", ("pointer", "text", "pointer", "pointer")),
    "corm_bundle_create": ("int32", ("text", "pointer", "pointer")),
    "corm_bundle_add": ("int32", ("pointer", "pointer", "pointer")),
    "corm_bundle_free": ("void", ("pointer",)),
    "corm_bundle_apply": ("int32", ("pointer", "pointer", "text", "pointer", "pointer")),
    "corm_bundle_revert": ("int32", ("pointer", "pointer", "text", "pointer", "pointer")),
    "corm_bundle_adopt": ("int32", ("pointer", "pointer", "text", "pointer")),
    "corm_bundle_resolve": ("int32", ("pointer", "pointer", "text", "bool", "pointer")),
    "corm_bundle_status": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_bundle_states_free": ("void", ("pointer",)),
    "corm_bundle_states_count": ("size", ("pointer",)),
    "corm_bundle_states_get": ("pointer", ("pointer", "size")),
    "corm_bundle_states_json": ("text", ("pointer",)),
    "corm_bundle_drift": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_bundle_generate": ("int32", ("text", "text", "pointer", "size", "pointer", "pointer", "pointer")),
    "corm_bundle_generate_to": ("int32", ("text", "text", "pointer", "pointer", "pointer", "pointer")),
    "corm_bundle_seal": ("int32", ("text", "pointer")),
    "corm_bundle_squash": ("int32", ("text", "text", "pointer")),
    "corm_migration_set_version": ("int32", ("pointer", "pointer", "size", "int32", "pointer", "pointer")),
    "corm_migration_version": ("int32", ("pointer", "pointer", "pointer")),
    "corm_database_set_cache": ("int32", ("pointer", "pointer", "int64", "int64", "pointer")),
    "corm_database_cache_statistics": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_key_sink_set": ("int32", ("pointer", "pointer", "size", "pointer")),
    "corm_cipher_encrypt": ("int32", ("text", "pointer", "pointer", "pointer", "pointer")),
    "corm_cipher_decrypt": ("int32", ("text", "pointer", "pointer", "pointer", "pointer")),
    "corm_cipher_rekey": ("int32", ("text", "pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_cipher_check": ("int32", ("pointer", "pointer", "size", "pointer", "pointer")),
    "corm_database_attach": ("int32", ("pointer", "text", "text", "pointer", "pointer")),
    "corm_record_insert": ("int32", ("pointer", "pointer", "pointer", "int32", "pointer", "pointer")),
    "corm_record_save": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_record_update": ("int32", ("pointer", "pointer", "pointer", "pointer", "size", "pointer", "pointer")),
    "corm_record_delete": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_record_refresh": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_record_find": ("int32", ("pointer", "pointer", "pointer", "size", "pointer", "pointer", "pointer")),
    "corm_record_exists": ("int32", ("pointer", "pointer", "pointer", "size", "pointer")),
    "corm_record_delete_key": ("int32", ("pointer", "pointer", "pointer", "size", "pointer")),
    "corm_record_delete_all": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_record_insert_many": (
        "int32",
        ("pointer", "pointer", "pointer", "size", "int32", "pointer", "pointer", "pointer"),
    ),
    "corm_record_save_many": ("int32", ("pointer", "pointer", "pointer", "size", "pointer", "pointer")),
    "corm_record_update_many": (
        "int32",
        ("pointer", "pointer", "pointer", "size", "pointer", "size", "pointer", "pointer"),
    ),
    "corm_record_delete_many": ("int32", ("pointer", "pointer", "pointer", "size", "pointer", "pointer")),
    "corm_expr_column": ("pointer", ("pointer", "text")),
    "corm_expr_column_of": ("pointer", ("text", "pointer", "text")),
    "corm_expr_name": ("pointer", ("text", "text")),
    "corm_expr_value": ("pointer", ("corm_value",)),
    "corm_expr_typed_value": ("pointer", ("corm_value", "int32")),
    "corm_expr_parameter": ("pointer", ("text",)),
    "corm_expr_unary": ("pointer", ("int32", "pointer")),
    "corm_expr_binary": ("pointer", ("int32", "pointer", "pointer")),
    "corm_expr_all": ("pointer", ("pointer", "size")),
    "corm_expr_any": ("pointer", ("pointer", "size")),
    "corm_expr_between": ("pointer", ("pointer", "pointer", "pointer")),
    "corm_expr_in": ("pointer", ("pointer", "pointer", "size")),
    "corm_expr_in_select": ("pointer", ("pointer", "pointer")),
    "corm_expr_case": ("pointer", ("pointer", "pointer", "pointer", "size", "pointer")),
    "corm_expr_cast": ("pointer", ("pointer", "int32")),
    "corm_expr_collate": ("pointer", ("pointer", "text")),
    "corm_expr_call": ("pointer", ("text", "pointer", "size")),
    "corm_expr_distinct": ("pointer", ("pointer",)),
    "corm_expr_filter": ("pointer", ("pointer", "pointer")),
    "corm_expr_over": ("pointer", ("pointer", "pointer", "size", "pointer", "size", "text")),
    "corm_expr_select": ("pointer", ("pointer",)),
    "corm_expr_exists": ("pointer", ("pointer",)),
    "corm_expr_raw": ("pointer", ("text", "pointer", "size")),
    "corm_expr_order": ("pointer", ("pointer", "int32", "int32")),
    "corm_expr_as": ("pointer", ("pointer", "text")),
    "corm_expr_copy": ("pointer", ("pointer",)),
    "corm_expr_free": ("void", ("pointer",)),
    "corm_expr_sql": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_result_open": ("int32", ("pointer", "text", "pointer", "size", "pointer", "pointer")),
    "corm_result_close": ("void", ("pointer",)),
    "corm_result_next": ("int32", ("pointer", "pointer")),
    "corm_result_column_count": ("size", ("pointer",)),
    "corm_result_column_name": ("text", ("pointer", "size")),
    "corm_result_column_index": ("size", ("pointer", "text")),
    "corm_result_get": ("int32", ("pointer", "size", "pointer", "pointer")),
    "corm_result_get_named": ("int32", ("pointer", "text", "pointer", "pointer")),
    "corm_result_row_json": ("int32", ("pointer", "pointer", "pointer")),
    "corm_result_json": ("int32", ("pointer", "pointer", "pointer")),
    "corm_statement_create": ("pointer", ("int32", "pointer", "text")),
    "corm_statement_copy": ("pointer", ("pointer",)),
    "corm_statement_free": ("void", ("pointer",)),
    "corm_statement_from": ("void", ("pointer", "pointer")),
    "corm_statement_join": ("void", ("pointer", "int32", "pointer", "pointer")),
    "corm_statement_add": ("void", ("pointer", "int32", "pointer")),
    "corm_statement_distinct": ("void", ("pointer",)),
    "corm_statement_compound": ("void", ("pointer", "int32", "pointer")),
    "corm_statement_with": ("void", ("pointer", "text", "pointer", "size", "pointer")),
    "corm_statement_after": ("void", ("pointer", "pointer", "size")),
    "corm_statement_set": ("void", ("pointer", "text", "pointer")),
    "corm_statement_insert_select": ("void", ("pointer", "pointer", "size", "pointer")),
    "corm_statement_conflict": ("void", ("pointer", "int32")),
    "corm_statement_upsert": ("void", ("pointer", "pointer", "size")),
    "corm_statement_upsert_set": ("void", ("pointer", "text", "pointer")),
    "corm_statement_sql": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_statement_execute": ("int32", ("pointer", "pointer", "pointer", "size", "pointer", "pointer")),
    "corm_result_open_statement": ("int32", ("pointer", "pointer", "pointer", "size", "pointer", "pointer")),
    "corm_statement_explain": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_query_fetch": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_records_count": ("size", ("pointer",)),
    "corm_records_data": ("pointer", ("pointer",)),
    "corm_records_free": ("void", ("pointer",)),
    "corm_query_first": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_query_count": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_query_exists": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_query_page_count": ("int32", ("pointer", "pointer", "pointer", "int64", "pointer", "pointer")),
    "corm_query_max_key": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_cursor_open": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_cursor_next": ("int32", ("pointer", "pointer", "pointer")),
    "corm_cursor_close": ("void", ("pointer",)),
    "corm_result_arrow": ("int32", ("pointer", "pointer", "pointer")),
    "corm_query_arrow": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_relation_add": ("int32", ("pointer", "pointer", "pointer")),
    "corm_relation_column": ("pointer", ("pointer", "text", "pointer", "size", "text")),
    "corm_relation_exists": ("pointer", ("pointer", "text", "text", "pointer")),
    "corm_relation_aggregate": ("pointer", ("pointer", "text", "text", "text", "text", "pointer")),
    "corm_statement_join_relation": ("void", ("pointer", "int32", "text", "text", "text")),
    "corm_relation_load": ("int32", ("pointer", "pointer", "text", "pointer", "size", "pointer", "pointer", "pointer")),
    "corm_related_count": ("size", ("pointer", "size")),
    "corm_related_data": ("pointer", ("pointer", "size")),
    "corm_related_all": ("pointer", ("pointer", "pointer")),
    "corm_related_free": ("void", ("pointer",)),
    "corm_relation_save": (
        "int32",
        ("pointer", "pointer", "text", "pointer", "pointer", "size", "int32", "pointer", "pointer"),
    ),
    "corm_json_reader_create": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_json_reader_feed": ("int32", ("pointer", "pointer", "size", "pointer")),
    "corm_json_reader_next": ("int32", ("pointer", "pointer", "pointer")),
    "corm_json_reader_fetch": ("int32", ("pointer", "size", "pointer", "pointer")),
    "corm_json_reader_related": ("int32", ("pointer", "text", "pointer", "pointer")),
    "corm_json_reader_import": ("int32", ("pointer", "pointer", "int32", "pointer", "pointer")),
    "corm_json_reader_free": ("void", ("pointer",)),
    "corm_json_write": (
        "int32",
        ("pointer", "pointer", "size", "pointer", "size", "pointer", "pointer", "pointer", "pointer", "pointer"),
    ),
    "corm_store_open": ("int32", ("pointer", "text", "pointer", "pointer")),
    "corm_store_close": ("void", ("pointer",)),
    "corm_store_get": ("int32", ("pointer", "text", "size", "pointer", "pointer", "pointer")),
    "corm_store_contains": ("int32", ("pointer", "text", "size", "pointer")),
    "corm_store_put": ("int32", ("pointer", "pointer", "pointer")),
    "corm_store_put_many": ("int32", ("pointer", "pointer", "size", "pointer")),
    "corm_store_compare_and_set": ("int32", ("pointer", "pointer", "pointer")),
    "corm_store_delete": ("int32", ("pointer", "text", "size", "pointer")),
    "corm_store_scan": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_store_next": ("int32", ("pointer", "pointer", "pointer")),
    "corm_store_count": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_store_clear": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_store_purge": ("int32", ("pointer", "pointer", "pointer")),
    "corm_store_adopt": ("int32", ("pointer", "text", "pointer", "pointer")),
    "corm_store_expiry": ("int32", ("int64", "pointer", "pointer")),
    "corm_database_backup": ("int32", ("pointer", "text", "pointer", "pointer", "pointer", "pointer")),
    "corm_database_vacuum": ("int32", ("pointer", "pointer")),
    "corm_database_optimize": ("int32", ("pointer", "pointer")),
    "corm_database_checkpoint": ("int32", ("pointer", "int32", "pointer", "pointer", "pointer")),
    "corm_metadata_read": ("int32", ("pointer", "pointer", "pointer")),
    "corm_metadata_create": ("int32", ("pointer", "pointer", "pointer")),
    "corm_metadata_free": ("void", ("pointer",)),
    "corm_metadata_table_count": ("size", ("pointer",)),
    "corm_metadata_table_get": ("pointer", ("pointer", "size")),
    "corm_metadata_problem_count": ("size", ("pointer",)),
    "corm_metadata_problem_get": ("pointer", ("pointer", "size")),
    "corm_metadata_json": ("text", ("pointer",)),
    "corm_observer_open": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_observer_close": ("void", ("pointer",)),
    "corm_observer_next": ("int32", ("pointer", "pointer", "pointer")),
    "corm_observer_descriptor": ("int32", ("pointer", "pointer", "pointer")),
    "corm_event_free": ("void", ("pointer",)),
    "corm_event_is_foreign": ("bool", ("pointer",)),
    "corm_event_change_count": ("size", ("pointer",)),
    "corm_event_change_get": ("pointer", ("pointer", "size")),
    "corm_event_row_count": ("size", ("pointer",)),
    "corm_event_row_get": ("pointer", ("pointer", "size", "pointer")),
    "corm_event_records": ("int32", ("pointer", "pointer", "pointer")),
    "corm_queue_open": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_queue_close": ("int32", ("pointer", "pointer")),
    "corm_queue_add": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_queue_perform": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_queue_cancel": ("int32", ("pointer", "int64", "pointer")),
    "corm_queue_flush": ("int32", ("pointer", "pointer")),
    "corm_queue_count": ("size", ("pointer",)),
    "corm_batch_create": ("int32", ("pointer", "pointer", "pointer")),
    "corm_batch_free": ("void", ("pointer",)),
    "corm_batch_count": ("size", ("pointer",)),
    "corm_batch_execute": ("int32", ("pointer", "text", "pointer", "size", "pointer")),
    "corm_batch_insert": ("int32", ("pointer", "pointer", "pointer", "int32", "pointer")),
    "corm_batch_save": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_batch_update": ("int32", ("pointer", "pointer", "pointer", "pointer", "size", "pointer")),
    "corm_batch_delete": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_batch_commit": ("int32", ("pointer", "int32", "pointer", "pointer", "pointer")),
    "corm_completion_status": ("int32", ("pointer",)),
    "corm_completion_error": ("pointer", ("pointer",)),
    "corm_completion_tag": ("text", ("pointer",)),
    "corm_completion_number": ("int64", ("pointer",)),
    "corm_completion_result_count": ("size", ("pointer",)),
    "corm_completion_result_get": ("pointer", ("pointer", "size")),
    "corm_completion_free": ("void", ("pointer",)),
    "corm_listener_open": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_listener_close": ("void", ("pointer",)),
    "corm_listener_next": ("int32", ("pointer", "pointer", "pointer")),
    "corm_listener_descriptor": ("int32", ("pointer", "pointer", "pointer")),
    "corm_registry_open": ("int32", ("text", "int32", "pointer", "pointer", "pointer")),
    "corm_registry_close": ("int32", ("pointer", "pointer")),
    "corm_registry_register": ("int32", ("pointer", "text", "text", "pointer", "pointer")),
    "corm_registry_use": ("int32", ("pointer", "text", "pointer", "pointer")),
    "corm_registry_set_default": ("int32", ("pointer", "text", "pointer")),
    "corm_registry_set_current": ("int32", ("pointer", "text", "pointer")),
    "corm_registry_default": ("text", ("pointer",)),
    "corm_registry_current": ("text", ("pointer",)),
    "corm_registry_names": ("int32", ("pointer", "pointer", "pointer", "pointer", "pointer")),
    "corm_registry_open_count": ("size", ("pointer",)),
    "corm_registry_close_file": ("int32", ("pointer", "text", "pointer")),
    "corm_registry_attach": ("int32", ("pointer", "pointer", "text", "text", "pointer")),
    "corm_registry_migrate": (
        "int32",
        ("pointer", "pointer", "pointer", "size", "text", "bool", "pointer", "pointer", "pointer", "pointer"),
    ),
    "corm_thread_id": ("int64", ()),
    "corm_thread_cancel": ("void", ("pointer", "int64")),
    "corm_thread_resume": ("void", ()),
    "corm_thread_set_patient": ("void", ("bool",)),
    "corm_transaction_begin": ("int32", ("pointer", "int32", "pointer")),
    "corm_transaction_commit": ("int32", ("pointer", "pointer")),
    "corm_transaction_rollback": ("int32", ("pointer", "pointer")),
    "corm_transaction_open": ("int32", ("pointer", "int32", "pointer", "pointer", "pointer", "pointer")),
    "corm_transaction_close": ("int32", ("pointer", "int64", "bool", "pointer")),
    "corm_transaction_depth": ("size", ("pointer",)),
    "corm_block_free": ("void", ("pointer",)),
    "corm_block_write": (
        "int32",
        ("pointer", "pointer", "int32", "int32", "pointer", "size", "pointer", "size", "pointer", "pointer", "pointer"),
    ),
    "corm_block_find": ("int32", ("pointer", "pointer", "pointer", "size", "pointer", "pointer")),
    "corm_block_execute": ("int32", ("pointer", "text", "pointer", "size", "pointer", "pointer")),
    "corm_block_is_plain": ("bool", ("pointer", "size")),
    "corm_block_count": ("int32", ("pointer", "pointer", "text", "pointer", "size", "pointer", "pointer")),
    "corm_block_max_key": ("int32", ("pointer", "pointer", "pointer", "pointer")),
    "corm_block_delete_key": ("int32", ("pointer", "pointer", "pointer", "size", "pointer")),
    "corm_block_read_json": ("int32", ("pointer", "size", "pointer", "pointer")),
    "corm_block_write_json": ("int32", ("pointer", "pointer", "size", "pointer", "pointer", "pointer")),
    "corm_block_store_get": ("int32", ("pointer", "text", "size", "pointer", "pointer")),
    "corm_block_store_put": ("int32", ("pointer", "pointer", "size", "pointer", "pointer")),
    "corm_block_observe": ("int32", ("pointer", "pointer", "pointer", "size", "pointer", "pointer")),
    "corm_block_event": ("int32", ("pointer", "pointer", "pointer")),
    "corm_python_is_loaded": ("bool", ()),
    "corm_python_find": ("pointer", ("pointer", "pointer")),
    "corm_python_destroy_stream": ("void", ("pointer",)),
    "corm_block_batch_execute": ("int32", ("pointer", "text", "pointer", "size", "pointer")),
    "corm_block_batch_write": (
        "int32",
        ("pointer", "pointer", "int32", "int32", "pointer", "size", "pointer", "size", "pointer"),
    ),
    "corm_block_open": (
        "int32",
        ("pointer", "pointer", "text", "pointer", "size", "pointer", "size", "int64", "int64", "pointer", "pointer"),
    ),
    "corm_block_run": (
        "int32",
        ("pointer", "text", "text", "pointer", "size", "bool", "int64", "pointer", "pointer", "pointer"),
    ),
    "corm_block_in_transaction": ("bool", ("pointer",)),
    "corm_block_next": ("int32", ("pointer", "int64", "pointer", "pointer")),
    "corm_block_columns": ("int32", ("pointer", "pointer", "size", "pointer", "pointer")),
    "corm_block_json": ("int32", ("pointer", "pointer", "size", "pointer", "pointer")),
    "corm_tree_statement": ("int32", ("pointer", "size", "pointer", "pointer")),
    "corm_tree_expression": ("int32", ("pointer", "size", "pointer", "pointer")),
    "corm_tree_statement_sql": ("int32", ("pointer", "pointer", "pointer")),
    "corm_tree_expression_sql": ("int32", ("pointer", "pointer", "pointer")),
    "corm_tree_open": ("int32", ("pointer", "pointer", "pointer", "pointer", "size", "pointer", "pointer")),
    "corm_tree_execute": ("int32", ("pointer", "pointer", "pointer", "size", "pointer", "pointer")),
    "corm_tree_count": ("int32", ("pointer", "pointer", "pointer", "size", "pointer", "pointer")),
    "corm_tree_exists": ("int32", ("pointer", "pointer", "pointer", "size", "pointer", "pointer")),
    "corm_tree_load": (
        "int32",
        ("pointer", "pointer", "text", "pointer", "size", "pointer", "size", "pointer", "pointer"),
    ),
    "corm_tree_relation_columns": ("int32", ("pointer", "text", "pointer", "pointer")),
    "corm_tree_relate": ("int32", ("pointer", "pointer", "text", "pointer", "size", "int32", "pointer")),
}
