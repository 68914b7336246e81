/* The step of scenario files about metadata: a line for each thing that is told. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>

/* The names of one thing, between commas. */
static void add_names(FILE *lines, const char *const *names, size_t count) {
    for (size_t index = 0; index < count; index += 1)
        fprintf(lines, "%s%s", index == 0 ? "" : ", ", names[index]);
}

static void add_flag(FILE *lines, bool is_set, const char *word) {
    if (is_set)
        fprintf(lines, "; %s", word);
}

/* Nothing for NULL. */
static void add_text(FILE *lines, const char *word, const char *text) {
    if (text != NULL)
        fprintf(lines, "; %s %s", word, text);
}

static const char *or_none(const char *name) { return name == NULL ? "none" : name; }

static void add_table(FILE *lines, const corm_table_metadata *table) {
    static const char *const kinds[] = {"table", "virtual", "view"};
    fprintf(lines, "%s %s\n", table->name, kinds[table->kind]);
}

static void add_options(FILE *lines, const corm_table_metadata *table) {
    fprintf(lines, "%s", table->name);
    if (table->primary_key_count > 0) {
        fprintf(lines, "; key ");
        add_names(lines, table->primary_key, table->primary_key_count);
    }
    add_text(lines, "rowid", table->rowid_column);
    add_flag(lines, table->is_auto_increment, "autoincrement");
    add_flag(lines, table->is_strict, "strict");
    add_flag(lines, table->is_without_rowid, "without rowid");
    if (table->module != NULL) {
        fprintf(lines, "; using %s(", table->module);
        add_names(lines, table->module_arguments, table->module_argument_count);
        fprintf(lines, ")");
    }
    fprintf(lines, "\n");
}

static void add_columns(FILE *lines, const corm_table_metadata *table) {
    for (size_t index = 0; index < table->column_count; index += 1) {
        const corm_column_metadata *column = table->columns[index];
        fprintf(lines, "%s.%s %s: %s, %s, %s\n", table->name, column->name, column->declared_type, column->swift_type,
                column->c_type, column->python_type);
    }
}

static void add_flags(FILE *lines, const corm_table_metadata *table) {
    for (size_t index = 0; index < table->column_count; index += 1) {
        const corm_column_metadata *column = table->columns[index];
        fprintf(lines, "%s.%s; %s", table->name, column->name, column->affinity);
        if (column->type != 0)
            add_text(lines, "type", type_name(column->type));
        if (column->type == CORM_VARCHAR)
            fprintf(lines, "(%u)", column->length);
        if (column->key_position > 0)
            fprintf(lines, "; key %u", column->key_position);
        add_flag(lines, !column->is_nullable, "not null");
        add_flag(lines, column->is_unique, "unique");
        add_flag(lines, column->is_foreign_key, "foreign");
        add_flag(lines, column->is_hidden, "hidden");
        add_flag(lines, column->is_simple_type, "simple");
        add_text(lines, "default", column->default_sql);
        add_text(lines, "collate", column->collation);
        add_text(lines, "computed", column->generated_sql);
        add_flag(lines, column->is_stored, "stored");
        fprintf(lines, "\n");
    }
}

static void add_foreign_keys(FILE *lines, const corm_table_metadata *table) {
    static const char *const actions[] = {NULL, "restrict", "set_null", "set_default", "cascade"};
    for (size_t index = 0; index < table->foreign_key_count; index += 1) {
        const corm_foreign_key_metadata *key = table->foreign_keys[index];
        fprintf(lines, "%s (", table->name);
        add_names(lines, key->columns, key->column_count);
        fprintf(lines, ") to %s (", key->table);
        add_names(lines, key->table_columns, key->table_column_count);
        fprintf(lines, ")");
        add_text(lines, "named", key->name);
        add_text(lines, "on delete", actions[key->on_delete]);
        add_text(lines, "on update", actions[key->on_update]);
        add_flag(lines, key->is_deferred, "deferred");
        fprintf(lines, "\n");
    }
}

static void add_indexes(FILE *lines, const corm_table_metadata *table) {
    for (size_t index = 0; index < table->index_count; index += 1) {
        const corm_index_metadata *one = table->indexes[index];
        fprintf(lines, "%s %s; %s", table->name, or_none(one->name), one->origin);
        add_flag(lines, one->is_unique, "unique");
        for (size_t place = 0; place < one->term_count; place += 1) {
            const corm_index_term_metadata *term = one->terms[place];
            fprintf(lines, term->column == NULL ? "; (%s)" : "; %s", term->sql);
            if (term->collation != NULL)
                fprintf(lines, " collate %s", term->collation);
            fprintf(lines, "%s", term->is_descending ? " desc" : "");
        }
        add_text(lines, "where", one->condition_sql);
        fprintf(lines, "\n");
    }
}

static void add_checks(FILE *lines, const corm_table_metadata *table) {
    for (size_t index = 0; index < table->check_count; index += 1) {
        const corm_check_metadata *check = table->checks[index];
        fprintf(lines, "%s.%s %s: %s\n", table->name, or_none(check->column), or_none(check->name), check->sql);
    }
}

static void add_triggers(FILE *lines, const corm_table_metadata *table) {
    for (size_t index = 0; index < table->trigger_count; index += 1) {
        const corm_trigger_metadata *trigger = table->triggers[index];
        fprintf(lines, "%s %s: %s %s (", table->name, trigger->name, trigger->timing, trigger->event);
        add_names(lines, trigger->columns, trigger->column_count);
        fprintf(lines, ")\n");
    }
}

static const char *const relation_kinds[] = {"", "to_one", "to_many", "many_to_many"};

static void add_relations(FILE *lines, const corm_table_metadata *table) {
    for (size_t index = 0; index < table->relation_count; index += 1) {
        const corm_relation_metadata *relation = table->relations[index];
        fprintf(lines, "%s %s %s", table->name, relation_kinds[relation->kind], relation->table);
        if (relation->through != NULL)
            fprintf(lines, " over %s", relation->through);
        fprintf(lines, "\n");
    }
}

static void add_ends(FILE *lines, const corm_table_metadata *table) {
    for (size_t index = 0; index < table->relation_count; index += 1) {
        const corm_relation_metadata *relation = table->relations[index];
        fprintf(lines, "%s (", table->name);
        add_names(lines, relation->columns, relation->column_count);
        fprintf(lines, ") to %s (", relation->table);
        add_names(lines, relation->table_columns, relation->table_column_count);
        fprintf(lines, ")");
        if (relation->through != NULL) {
            fprintf(lines, " over (");
            add_names(lines, relation->through_columns, relation->through_column_count);
            fprintf(lines, ") (");
            add_names(lines, relation->through_table_columns, relation->through_table_column_count);
            fprintf(lines, ")");
        }
        add_flag(lines, relation->is_self, "self");
        add_flag(lines, relation->is_unique, "unique");
        add_flag(lines, relation->is_optional, "optional");
        fprintf(lines, "\n");
    }
}

static const struct {
    const char *name;
    void (*add)(FILE *lines, const corm_table_metadata *table);
} lists[] = {
    {"tables", add_table},  {"options", add_options},          {"columns", add_columns},
    {"flags", add_flags},   {"foreignKeys", add_foreign_keys}, {"indexes", add_indexes},
    {"checks", add_checks}, {"triggers", add_triggers},        {"relations", add_relations},
    {"ends", add_ends},
};

static bool check_list(step *s, size_t list, const corm_metadata *metadata) {
    char *text = NULL;
    size_t size;
    FILE *lines = open_memstream(&text, &size);
    for (size_t index = 0; index < corm_metadata_info_get(metadata)->table_count; index += 1)
        lists[list].add(lines, corm_metadata_table_get(metadata, index));
    fclose(lines);
    bool good = check_lines(s, lists[list].name, text);
    free(text);
    return good;
}

static bool check_metadata(step *s, const corm_metadata *metadata) {
    char problems[4096] = "";
    FILE *lines = fmemopen(problems, sizeof problems, "w");
    for (size_t index = 0; index < corm_metadata_info_get(metadata)->problem_count; index += 1) {
        const corm_metadata_problem *problem = corm_metadata_problem_get(metadata, index);
        fprintf(lines, "%s %s\n", problem->type, problem->name);
    }
    fclose(lines);
    for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list += 1) {
        if (!check_list(s, list, metadata))
            return false;
    }
    return check_lines(s, "problems", problems) && check_contains(s, corm_metadata_info_get(metadata)->json);
}

bool step_metadata(step *s) {
    scenario *run = s->run;
    corm_schema *schema = NULL;
    corm_metadata *metadata = NULL;
    json_t *of = member(s, "of");
    if (of == NULL) {
        s->status = corm_metadata_read(run->database, &metadata, &run->error);
    } else {
        if (!parse_schema(s, of, &schema))
            return false;
        if (s->status >= 0)
            s->status = corm_metadata_create(schema, &metadata, &run->error);
        corm_schema_free(schema);
    }
    bool good = s->status < 0 || check_metadata(s, metadata);
    corm_metadata_free(metadata);
    return good;
}
