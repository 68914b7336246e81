/* What a first program does: a model, a table, a record in and out again. */
#include <cormorant.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    int64_t id;
    const char *name;
} person;

static const corm_column_def person_columns[] = {
    CORM_COLUMN(person, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(person, name, CORM_TEXT, .not_null = true),
};
static const corm_model_def person_def = CORM_MODEL(person, "Person", person_columns);

int main(void) {
    corm_database *database = NULL;
    corm_model *model = NULL;
    corm_arena *arena = corm_arena_create();
    corm_error *error = NULL;
    person ada = {.name = "Ada"};
    person found = {0};

    bool worked =
        strcmp(corm_version(), CORM_VERSION) == 0 &&
        corm_database_open(":memory:", NULL, &database, &error) == CORM_OK &&
        corm_model_create(&person_def, &model, &error) == CORM_OK &&
        corm_model_create_tables(database, CORM_MODELS(model), &error) == CORM_OK &&
        corm_record_insert(database, model, &ada, CORM_CONFLICT_ABORT, arena, &error) == CORM_OK &&
        corm_record_find(database, model, CORM_VALUES(corm_value_int64(ada.id)), &found, arena, &error) == CORM_OK &&
        strcmp(found.name, "Ada") == 0;
    if (worked)
        printf("found %s with key %" PRId64 "\n", found.name, found.id);
    else
        fprintf(stderr, "failed: %s\n", error == NULL ? "unexpected result" : corm_error_message(error));

    corm_error_free(error);
    corm_arena_free(arena);
    corm_model_free(model);
    corm_database_close(database, NULL);
    return worked ? 0 : 1;
}
