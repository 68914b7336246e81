/* Metadata: everything that introspection knows about a file. */
#include "music.h"
#include <string.h>

static void show_table(const corm_table_metadata *table) {
    static const char *const kinds[] = {"table", "virtual table", "view"};
    printf("%s, a %s\n", table->name, kinds[table->kind]);
    for (size_t index = 0; index < table->column_count; index += 1) {
        const corm_column_metadata *column = table->columns[index];
        printf("  %s: %s %s\n", column->name, column->c_type, column->is_unique ? "unique" : "");
    }
    for (size_t index = 0; index < table->relation_count; index += 1) {
        const corm_relation_metadata *relation = table->relations[index];
        printf("  %s %s\n", relation->kind == CORM_TO_ONE ? "to one" : "to many", relation->table);
    }
}

/* Each table with its columns, and where its relations lead; the same as one JSON document. */
static bool show(app *a) {
    corm_metadata *metadata = NULL;
    if (corm_metadata_read(a->db, &metadata, &a->error) != CORM_OK)
        return false;
    for (size_t index = 0; index < corm_metadata_info_get(metadata)->table_count; index += 1)
        show_table(corm_metadata_table_get(metadata, index));
    printf("%zu bytes of JSON\n", strlen(corm_metadata_info_get(metadata)->json));
    corm_metadata_free(metadata);
    return true;
}

/* Of a text that no file has; what cannot be understood is listed. */
static bool understand(app *a) {
    corm_schema *schema = NULL;
    corm_metadata *metadata = NULL;
    bool done = corm_schema_parse("CREATE VIEW broken AS SELECT * FROM gone", &schema, &a->error) == CORM_OK &&
                corm_metadata_create(schema, &metadata, &a->error) == CORM_OK;
    for (size_t index = 0; index < corm_metadata_info_get(metadata)->problem_count; index += 1) {
        const corm_metadata_problem *problem = corm_metadata_problem_get(metadata, index);
        printf("%s %s: %s\n", problem->type, problem->name, problem->message);
    }
    corm_metadata_free(metadata);
    corm_schema_free(schema);
    return done;
}

int main(void) {
    app a = {0};
    return close_music(&a, open_music(&a) && show(&a) && understand(&a));
}
