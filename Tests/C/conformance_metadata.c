/* The step of scenario files about metadata. */
#include "conformance.h"

#include <stdio.h>

static void add_columns(FILE *lines, const corm_table_metadata *table) {
    for (size_t index = 0; index < table->column_count; index += 1) {
        const corm_column_metadata *column = table->columns[index];
        fprintf(lines, "%s.%s %s: %s, %s, %s\n", table->name, column->name, column->declared_type, column->swift_type,
                column->c_type, column->python_type);
    }
}

static void add_relations(FILE *lines, const corm_table_metadata *table) {
    static const char *const kinds[] = {"", "to_one", "to_many", "many_to_many"};
    for (size_t index = 0; index < table->relation_count; index += 1) {
        const corm_relation_metadata *relation = table->relations[index];
        fprintf(lines, "%s %s %s", table->name, kinds[relation->kind], relation->table);
        if (relation->through != NULL)
            fprintf(lines, " over %s", relation->through);
        fprintf(lines, "\n");
    }
}

static bool check_metadata(step *s, const corm_metadata *metadata) {
    static const char *const kinds[] = {"table", "virtual", "view"};
    char tables[4096] = "", columns[8192] = "", relations[4096] = "", problems[4096] = "";
    FILE *files[] = {fmemopen(tables, sizeof tables, "w"), fmemopen(columns, sizeof columns, "w"),
                     fmemopen(relations, sizeof relations, "w"), fmemopen(problems, sizeof problems, "w")};
    for (size_t index = 0; index < corm_metadata_table_count(metadata); index += 1) {
        const corm_table_metadata *table = corm_metadata_table_get(metadata, index);
        fprintf(files[0], "%s %s\n", table->name, kinds[table->kind]);
        add_columns(files[1], table);
        add_relations(files[2], table);
    }
    for (size_t index = 0; index < corm_metadata_problem_count(metadata); index += 1) {
        const corm_metadata_problem *problem = corm_metadata_problem_get(metadata, index);
        fprintf(files[3], "%s %s\n", problem->type, problem->name);
    }
    for (size_t index = 0; index < sizeof files / sizeof files[0]; index += 1)
        fclose(files[index]);
    return check_lines(s, "tables", tables) && check_lines(s, "columns", columns) &&
           check_lines(s, "relations", relations) && check_lines(s, "problems", problems) &&
           check_contains(s, corm_metadata_json(metadata));
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
