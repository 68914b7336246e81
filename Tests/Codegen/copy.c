/* Reads every row of a file with the generated models, and writes it to a new file that sync made of them. */
#include "models.h"

#include <stdio.h>

static corm_model *models[MODELS_COUNT];

static corm_status copyRows(const char *from, const char *to, corm_error **error) {
    /* The tables come in any order. */
    const corm_open_options options = {.struct_size = sizeof options, .foreign_keys_off = true};
    corm_database *source = NULL, *copy = NULL;
    corm_plan *plan = NULL;
    corm_status status = models_create(models, error);
    if (status == CORM_OK)
        status = corm_database_open(from, &options, &source, error);
    /* What sync would do to the file that the models were made from: nothing. */
    if (status == CORM_OK)
        status = corm_migration_plan(source, models, MODELS_COUNT, NULL, &plan, error);
    if (status == CORM_OK)
        fputs(corm_plan_info_get(plan)->sql, stdout);
    if (status == CORM_OK && to)
        status = corm_database_open(to, &options, &copy, error);
    if (status == CORM_OK && to)
        status = corm_migration_sync(copy, models, MODELS_COUNT, NULL, NULL, error);
    for (int i = 0; i < MODELS_COUNT && status == CORM_OK && to; i++) {
        corm_records *records = NULL;
        status = corm_query_fetch(source, models[i], NULL, &records, error);
        if (status == CORM_OK)
            status = corm_record_insert_many(copy, models[i], corm_records_data(records), corm_records_count(records),
                                             CORM_CONFLICT_ABORT, NULL, NULL, error);
        corm_records_free(records);
    }
    corm_plan_free(plan);
    corm_database_close(copy, NULL);
    corm_database_close(source, NULL);
    models_free(models);
    return status;
}

int main(int argc, char **argv) {
    corm_error *error = NULL;
    if (argc < 2 || copyRows(argv[1], argc > 2 ? argv[2] : NULL, &error) != CORM_OK) {
        fprintf(stderr, "%s\n", error ? corm_error_message(error) : "usage: copy FROM [TO]");
        corm_error_free(error);
        return 1;
    }
    return 0;
}
