/* Every macro that a C program writes, in its documented form and under the strictest flags. Compiled, never run. */
#include <cormorant.h>

typedef struct {
    int64_t id;
    const char *name;
    corm_text note;
    corm_blob picture;
    corm_optional_int64 age;
    corm_uuid token;
} person;

static const corm_column_def person_columns[] = {
    CORM_COLUMN(person, id, CORM_INT64, .primary_key = true, .auto_increment = true),
    CORM_COLUMN(person, name, CORM_VARCHAR, .length = 40, .not_null = true, .collation = "NOCASE"),
    CORM_COLUMN(person, note, CORM_TEXT),
    CORM_COLUMN(person, picture, CORM_BLOB),
    CORM_COLUMN(person, age, CORM_INT64, .default_sql = "0", .check_sql = "age >= 0"),
    CORM_COLUMN(person, token, CORM_UUID, .unique = true),
};
#if __STDC_VERSION__ >= 201112L
/* Characters beside the record, and within it. */
struct texts {
    char *pointer;
    char array[8];
    char letter;
    unsigned char bytes[8];
};
_Static_assert(CORM_FIELD_(struct texts, pointer) == CORM_FIELD_CHARACTERS, "a pointer");
_Static_assert(CORM_FIELD_(struct texts, array) == CORM_FIELD_CHARACTER_ARRAY, "an array");
_Static_assert(CORM_FIELD_(struct texts, letter) == CORM_FIELD_OTHER, "a character");
_Static_assert(CORM_FIELD_(struct texts, bytes) == CORM_FIELD_OTHER, "an array of bytes");
#endif

static const corm_key_def person_keys[] = {{.kind = CORM_KEY_INDEX, .columns = "name, -age"}};

static const corm_model_def plain = CORM_MODEL(person, "Person", person_columns);
static const corm_model_def full = CORM_MODEL(person, "Person", person_columns, .table = "people", .keys = person_keys,
                                              .key_count = 1, .strict = true);

corm_status use_macros(corm_database **out_database);

corm_status use_macros(corm_database **out_database) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    corm_query query = CORM_QUERY_INIT;
    corm_error *error = NULL;
    corm_model *model = NULL;
    person found = {0};
    corm_arena *arena = corm_arena_create();
    corm_status status = corm_database_open(":memory:", &options, out_database, &error);
    if (status >= CORM_OK)
        status = corm_model_create(query.limit == 0 ? &plain : &full, &model, &error);
    if (status >= CORM_OK)
        status = corm_record_find(*out_database, model, CORM_VALUES(corm_value_int64(42)), &found, arena, &error);
    if (status >= CORM_OK)
        status = corm_database_execute(*out_database, "SELECT ?, :name",
                                       CORM_VALUES(corm_value_text("x"), corm_value_named("name", corm_value_null())),
                                       NULL, &error);
    if (status >= CORM_OK)
        status = corm_database_execute(*out_database, "SELECT 1", CORM_NO_VALUES, NULL, &error);
    corm_error_free(error);
    corm_model_free(model);
    corm_arena_free(arena);
    return status;
}
