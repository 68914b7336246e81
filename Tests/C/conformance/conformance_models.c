/* Models and records of scenario files. */
#include "conformance.h"

#include <stdio.h>
#include <string.h>

/* The position of a name in a list, plus `first`; -1 for none. */
static int32_t position(const char *name, const char *const *names, size_t count, int32_t first) {
    for (size_t index = 0; index < count; index += 1) {
        if (name != NULL && strcmp(name, names[index]) == 0)
            return (int32_t)index + first;
    }
    return -1;
}

static bool parse_action(scenario *run, json_t *json, int32_t *out_action) {
    static const char *const names[] = {"none", "restrict", "setNull", "setDefault", "cascade"};
    *out_action = json == NULL ? CORM_ACTION_NONE : position(json_string_value(json), names, 5, CORM_ACTION_NONE);
    return *out_action >= 0 || fail(run, "\"%s\" is no action", json_string_value(json));
}

static const char *const types[] = {"int64",   "int32", "bool",     "double",         "float",   "text",
                                    "varchar", "blob",  "datetime", "uuid",           "decimal", "json",
                                    "date",    "time",  "duration", "offset_datetime"};

corm_type column_type(const char *name) {
    int32_t found = position(name, types, 16, CORM_INT64);
    return found < 0 ? 0 : found;
}

const char *type_name(corm_type type) { return types[type - CORM_INT64]; }

int32_t find_name(scenario *run, const char *name, const char *const *names, int32_t count) {
    int32_t found = name == NULL ? 0 : position(name, names, (size_t)count, 0);
    if (found < 0)
        fail(run, "\"%s\" is not known", name);
    return found < 0 ? 0 : found;
}

/* Values that a CHECK lets into a column: texts by their names, integers by their values. */
static bool parse_choices(scenario *run, json_t *json, corm_column_def *column) {
    corm_choice *choices = allocate(run, json_array_size(json) * sizeof *choices);
    size_t index;
    json_t *item;
    json_array_foreach(json, index, item) {
        choices[index].name = json_is_string(item) ? json_string_value(item) : "a number";
        choices[index].value = json_integer_value(item);
        if (!json_is_string(item) && !json_is_integer(item))
            return fail(run, "a choice is a text or an integer");
    }
    column->choices = choices;
    column->choice_count = json_array_size(json);
    column->check_choices = json != NULL;
    return true;
}

static const char *const stamps[] = {"", "created", "updated"};

static bool parse_column(scenario *run, json_t *json, size_t index, corm_column_def *out_column) {
    json_t *scale = json_object_get(json, "scale");
    corm_column_def column = {
        .name = json_string_value(json_object_get(json, "name")),
        .type = column_type(json_string_value(json_object_get(json, "type"))),
        .length = (uint32_t)json_integer_value(json_object_get(json, "length")),
        .offset = index * sizeof(corm_value),
        .size = sizeof(corm_value),
        .field = CORM_FIELD_VALUE,
        .primary_key = json_is_true(json_object_get(json, "primaryKey")),
        .auto_increment = json_is_true(json_object_get(json, "autoIncrement")),
        .not_null = json_is_true(json_object_get(json, "notNull")),
        .unique = json_is_true(json_object_get(json, "unique")),
        .indexed = json_is_true(json_object_get(json, "indexed")),
        .version = json_is_true(json_object_get(json, "version")),
        .stamp = find_name(run, json_string_value(json_object_get(json, "stamp")), stamps, 3),
        .scale = scale == NULL                    ? 0
                 : json_integer_value(scale) == 0 ? CORM_SCALE_0
                                                  : (uint32_t)json_integer_value(scale),
        .is_unsigned = json_is_true(json_object_get(json, "unsigned")),
    };
    if (column.type == 0)
        return fail(run, "column \"%s\" has no type that is known", column.name);
    bool good =
        check_members(run, json, "a column",
                      " name column type length primaryKey autoIncrement notNull unique indexed unsigned default check "
                      "computed collation referencesTable referencesColumn onDelete onUpdate jsonKey renamedFrom "
                      "convert choices version stamp scale refuses discriminator ") &&
        parse_choices(run, json_object_get(json, "choices"), &column) &&
        parse_text(run, json_object_get(json, "jsonKey"), &column.json_key) &&
        parse_text(run, json_object_get(json, "column"), &column.column) &&
        parse_text(run, json_object_get(json, "default"), &column.default_sql) &&
        parse_text(run, json_object_get(json, "check"), &column.check_sql) &&
        parse_text(run, json_object_get(json, "computed"), &column.computed_sql) &&
        parse_text(run, json_object_get(json, "collation"), &column.collation) &&
        parse_text(run, json_object_get(json, "referencesTable"), &column.references_table) &&
        parse_text(run, json_object_get(json, "referencesColumn"), &column.references_column) &&
        parse_action(run, json_object_get(json, "onDelete"), &column.on_delete) &&
        parse_action(run, json_object_get(json, "onUpdate"), &column.on_update) &&
        parse_text(run, json_object_get(json, "renamedFrom"), &column.renamed_from) &&
        parse_text(run, json_object_get(json, "discriminator"), &column.discriminator) &&
        parse_text(run, json_object_get(json, "convert"), &column.convert_sql);
    make_validator(run, json_object_get(json, "refuses"), &column);
    *out_column = column;
    return good;
}

static bool parse_key(scenario *run, json_t *json, corm_key_def *out_key) {
    static const char *const kinds[] = {"primary", "unique", "index"};
    out_key->kind = position(json_string_value(json_object_get(json, "kind")), kinds, 3, CORM_KEY_PRIMARY);
    if (out_key->kind < 0)
        return fail(run, "a key has no kind that is known");
    return check_members(run, json, "a key", " kind columns name where ") &&
           parse_list(run, json_object_get(json, "columns"), &out_key->columns) &&
           parse_text(run, json_object_get(json, "name"), &out_key->name) &&
           parse_text(run, json_object_get(json, "where"), &out_key->where_sql);
}

static bool parse_reference(scenario *run, json_t *json, corm_reference_def *out_reference) {
    return check_members(run, json, "a reference", " columns table tableColumns onDelete onUpdate ") &&
           parse_list(run, json_object_get(json, "columns"), &out_reference->columns) &&
           parse_list(run, json_object_get(json, "tableColumns"), &out_reference->table_columns) &&
           parse_text(run, json_object_get(json, "table"), &out_reference->table) &&
           parse_action(run, json_object_get(json, "onDelete"), &out_reference->on_delete) &&
           parse_action(run, json_object_get(json, "onUpdate"), &out_reference->on_update);
}

/* Puts the model of another table in a model's place, where the definition asks for that. */
static corm_status make_variant(scenario *run, json_t *json, corm_model **model) {
    corm_model_variant variant = {.struct_size = sizeof variant,
                                  .unscoped = json_is_true(json_object_get(json, "unscoped")),
                                  .attached_as = json_string_value(json_object_get(json, "attachedAs"))};
    corm_model *origin = *model;
    if (!parse_text(run, json_object_get(json, "suffix"), &variant.suffix))
        return CORM_E_INTERNAL;
    if (variant.suffix == NULL && variant.attached_as == NULL && !variant.unscoped)
        return CORM_OK;
    corm_status status = corm_model_create_variant(origin, &variant, model, &run->error);
    if (status != CORM_OK)
        *model = NULL;
    corm_model_free(origin);
    return status;
}

bool make_plain_model(scenario *run, json_t *json, dynamic_model *out_model, corm_status *out_status) {
    json_t *columns_json = json_object_get(json, "columns");
    json_t *keys_json = json_object_get(json, "keys");
    json_t *references_json = json_object_get(json, "references");
    corm_column_def *columns = allocate(run, json_array_size(columns_json) * sizeof *columns);
    corm_key_def *keys = allocate(run, json_array_size(keys_json) * sizeof *keys);
    corm_reference_def *references = allocate(run, json_array_size(references_json) * sizeof *references);
    const char **properties = allocate(run, json_array_size(columns_json) * sizeof *properties);
    size_t index;
    json_t *item;
    json_array_foreach(columns_json, index, item) {
        if (!parse_column(run, item, index, &columns[index]))
            return false;
        properties[index] = columns[index].name;
    }
    json_array_foreach(keys_json, index, item) {
        if (!parse_key(run, item, &keys[index]))
            return false;
    }
    json_array_foreach(references_json, index, item) {
        if (!parse_reference(run, item, &references[index]))
            return false;
    }
    corm_model_def definition = {
        .struct_size = sizeof(corm_model_def),
        .column_def_size = sizeof(corm_column_def),
        .key_def_size = sizeof(corm_key_def),
        .reference_def_size = sizeof(corm_reference_def),
        .name = json_string_value(json_object_get(json, "name")),
        .module = json_string_value(json_object_get(json, "module")),
        .record_size = json_array_size(columns_json) * sizeof(corm_value),
        .columns = columns,
        .column_count = json_array_size(columns_json),
        .keys = keys,
        .key_count = json_array_size(keys_json),
        .references = references,
        .reference_count = json_array_size(references_json),
        .without_rowid = json_is_true(json_object_get(json, "withoutRowid")),
        .strict = json_is_true(json_object_get(json, "strict")),
        .view = json_is_true(json_object_get(json, "view")),
        .hooks = make_hooks(run, json_object_get(json, "hooks"), json_array_size(columns_json), properties),
    };
    if (!check_members(run, json, "a model",
                       " name table columns keys references checks columnOrder withoutRowid strict view scope unscoped "
                       "relations module "
                       "moduleArguments renamedFrom allowDrop seed suffix attachedAs hooks distributedBy ") ||
        !parse_text(run, json_object_get(json, "renamedFrom"), &definition.renamed_from) ||
        !parse_text(run, json_object_get(json, "seed"), &definition.seed_sql) ||
        !parse_text(run, json_object_get(json, "scope"), &definition.scope) ||
        !parse_text(run, json_object_get(json, "distributedBy"), &definition.distributed_by) ||
        !parse_list(run, json_object_get(json, "allowDrop"), &definition.allow_drop) ||
        !parse_text(run, json_object_get(json, "table"), &definition.table) ||
        !parse_names(run, json_object_get(json, "moduleArguments"), &definition.module_arguments,
                     &definition.module_argument_count) ||
        !parse_names(run, json_object_get(json, "checks"), &definition.checks, &definition.check_count) ||
        !parse_list(run, json_object_get(json, "columnOrder"), &definition.column_order)) {
        return false;
    }
    *out_model = (dynamic_model){.column_count = definition.column_count, .properties = properties};
    *out_status = corm_model_create(&definition, &out_model->model, &run->error);
    if (*out_status == CORM_OK)
        *out_status = make_variant(run, json, &out_model->model);
    return true;
}

bool parse_record(scenario *run, const dynamic_model *model, json_t *json, int64_t index, corm_value *record) {
    const char *property;
    json_t *value;
    json_object_foreach(json, property, value) {
        int32_t column = position(property, model->properties, model->column_count, 0);
        if (column < 0)
            return fail(run, "a record has the unknown property \"%s\"", property);
        if (!parse_value(run, value, index, &record[column]))
            return false;
    }
    return true;
}

static bool generate_records(scenario *run, const dynamic_model *model, json_t *json, corm_value *records,
                             size_t count) {
    for (size_t index = 0; index < count; index += 1) {
        corm_value *record = records + index * model->column_count;
        if (!parse_record(run, model, json_object_get(json, "record"), (int64_t)index, record))
            return false;
    }
    size_t number;
    json_t *exception;
    json_array_foreach(json_object_get(json, "except"), number, exception) {
        size_t index = (size_t)json_integer_value(json_object_get(exception, "at"));
        if (index >= count)
            return fail(run, "the exception lies beyond the records");
        corm_value *record = records + index * model->column_count;
        if (!parse_record(run, model, json_object_get(exception, "record"), (int64_t)index, record))
            return false;
    }
    return check_members(run, json, "generate", " count record except ");
}

bool parse_records(scenario *run, const dynamic_model *model, json_t *step, corm_value **out_records,
                   size_t *out_count) {
    json_t *generate = json_object_get(step, "generate");
    json_t *list = json_object_get(step, "records");
    size_t count = generate ? (size_t)json_integer_value(json_object_get(generate, "count")) : json_array_size(list);
    size_t index;
    json_t *item;
    *out_records = allocate(run, count * model->column_count * sizeof(corm_value));
    *out_count = count;
    if (generate != NULL)
        return generate_records(run, model, generate, *out_records, count);
    json_array_foreach(list, index, item) {
        if (!parse_record(run, model, item, (int64_t)index, *out_records + index * model->column_count))
            return false;
    }
    return true;
}

bool check_record(scenario *run, const dynamic_model *model, json_t *expected, const corm_value *record) {
    const char *property;
    json_t *value;
    json_object_foreach(expected, property, value) {
        int32_t column = position(property, model->properties, model->column_count, 0);
        if (column < 0)
            return fail(run, "expect has the unknown property \"%s\"", property);
        if (!check_value(run, property, value, &record[column]))
            return false;
    }
    return true;
}

bool check_records(scenario *run, const dynamic_model *model, json_t *expected, const corm_value *records,
                   size_t count) {
    size_t index;
    json_t *item;
    if (expected == NULL)
        return true;
    if (json_array_size(expected) != count) {
        return fail(run, "expected %zu records, found %zu", json_array_size(expected), count);
    }
    json_array_foreach(expected, index, item) {
        if (!check_record(run, model, item, records + index * model->column_count))
            return false;
    }
    return true;
}
