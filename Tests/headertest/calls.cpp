// C++ has no compound literals and, before C++20, no designated initialisers: it defines models member by member, and
// uses everything else as C does. Compiled, never run.
#include <cormorant.h>

struct person {
    int64_t id;
    const char *name;
};

corm_status use_from_cpp(corm_database **out_database);

corm_status use_from_cpp(corm_database **out_database) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.mode = CORM_OPEN_READ_ONLY;

    corm_column_def columns[2] = {};
    columns[0].name = "id";
    columns[0].type = CORM_INT64;
    columns[0].offset = offsetof(person, id);
    columns[0].size = sizeof(person::id);
    columns[0].field = CORM_FIELD_INTEGER;
    columns[0].primary_key = true;
    columns[1].name = "name";
    columns[1].type = CORM_TEXT;
    columns[1].offset = offsetof(person, name);
    columns[1].size = sizeof(person::name);
    columns[1].field = CORM_FIELD_CHARACTERS;
    corm_model_def definition = {};
    definition.struct_size = sizeof definition;
    definition.column_def_size = sizeof(corm_column_def);
    definition.name = "Person";
    definition.record_size = sizeof(person);
    definition.columns = columns;
    definition.column_count = 2;

    corm_error *error = nullptr;
    corm_model *model = nullptr;
    corm_status status = corm_model_create(&definition, &model, &error);
    if (status >= CORM_OK)
        status = corm_database_open("people.sqlite", &options, out_database, &error);
    person found = {};
    corm_arena *arena = corm_arena_create();
    const corm_value key[] = {corm_value_int64(42)};
    if (status >= CORM_OK)
        status = corm_record_find(*out_database, model, key, 1, &found, arena, &error);
    corm_arena_free(arena);
    corm_error_free(error);
    corm_model_free(model);
    return status;
}
