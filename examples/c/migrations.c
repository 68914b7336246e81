/* Migrations: files brought to models, to steps and to versions, with nothing lost. It leaves files where it runs. */
#include <cormorant.h>
#include <inttypes.h>
#include <stdio.h>

/* What earlier releases have left: a name of another kind, ages as texts, a number that nobody calls. */
static const char earlier[] =
    "CREATE TABLE person (id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, age TEXT, fax TEXT);"
    "INSERT INTO person VALUES (1, 'Ada', '36', '555'), (2, 'Grace', 'unknown', NULL)";

typedef struct person {
    int64_t id;
    const char *name;
    corm_optional_int64 age;
    const char *email;
} person;

static const corm_column_def person_columns[] = {
    CORM_COLUMN(person, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(person, name, CORM_TEXT, .not_null = true, .renamed_from = "full_name"),
    CORM_COLUMN(person, age, CORM_INT64, .convert_sql = "iif(age NOT GLOB '*[^0-9]*', nullif(age, ''), NULL)"),
    CORM_COLUMN(person, email, CORM_TEXT, .not_null = true, .default_sql = "''"),
};
static const corm_model_def person_def = CORM_MODEL(person, "Person", person_columns, .allow_drop = "fax");

/* What is in the way of a model that does not say what becomes of the columns that it lacks. */
static const corm_column_def bare_columns[] = {
    CORM_COLUMN(person, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(person, name, CORM_TEXT, .not_null = true),
};
static const corm_model_def bare_def = CORM_MODEL(person, "Person", bare_columns);

typedef struct app {
    corm_database *db;
    corm_model *people;
    corm_error *error;
} app;

static bool refuse(app *a) {
    corm_model *bare = NULL;
    corm_status status = corm_model_create(&bare_def, &bare, &a->error);
    if (status == CORM_OK)
        status = corm_migration_sync(a->db, CORM_MODELS(bare), NULL, NULL, &a->error);
    corm_model_free(bare);
    if (status != CORM_E_MIGRATION)
        return false;
    printf("%s: %s\n", corm_status_name(status), corm_error_message(a->error));
    corm_error_free(a->error);
    a->error = NULL;
    return true;
}

static bool plan(app *a) {
    corm_plan *plan = NULL;
    if (corm_migration_plan(a->db, CORM_MODELS(a->people), NULL, &plan, &a->error) != CORM_OK)
        return false;
    printf("%s", corm_plan_info_get(plan)->text);
    corm_plan_free(plan);
    return true;
}

/* Says how far it is; false would cancel, and the file would be as it was. */
static bool show(const corm_progress *progress, void *context) {
    (void)context;
    printf("%s: step %zu of %zu, %" PRId64 " rows\n", progress->step, progress->index + 1, progress->count,
           progress->done);
    return true;
}

static bool sync(app *a) {
    corm_migration_options options = CORM_MIGRATION_OPTIONS_INIT;
    options.snapshot = "people-before.db";
    options.progress = show;
    return corm_migration_sync(a->db, CORM_MODELS(a->people), &options, NULL, &a->error) == CORM_OK;
}

static bool restore(app *a) { return corm_migration_restore(a->db, "people-before.db", NULL, &a->error) == CORM_OK; }

static bool save(app *a) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.auto_sync = true;
    corm_database *db = NULL;
    bool done = corm_database_open("people.db", &options, &db, &a->error) == CORM_OK &&
                corm_record_save(db, a->people, &(person){.name = "Ida", .email = ""}, NULL, &a->error) == CORM_OK;
    return corm_database_close(db, NULL) == CORM_OK && done;
}

/* Run when a release is made, not by the program that is released. */
static bool generate(app *a) {
    corm_plan *plan = NULL;
    if (corm_bundle_generate("steps", "create_people", CORM_MODELS(a->people), NULL, &plan, &a->error) != CORM_OK)
        return false;
    printf("%s", corm_plan_info_get(plan)->text);
    corm_plan_free(plan);
    return true;
}

static corm_status add_first(corm_database *db, void *context, corm_error **error) {
    return corm_record_insert(db, context, &(person){.name = "Ada", .email = ""}, CORM_CONFLICT_ABORT, NULL, error);
}
static corm_status remove_first(corm_database *db, void *context, corm_error **error) {
    (void)context;
    return corm_database_execute(db, "DELETE FROM person WHERE name = 'Ada'", CORM_NO_VALUES, NULL, error);
}

static bool apply(app *a, corm_database *file) {
    corm_bundle *bundle = NULL;
    corm_bundle_states *states = NULL;
    corm_bundle_step step = CORM_BUNDLE_STEP_INIT;
    step.id = "0002_first_person";
    step.up = add_first;
    step.down = remove_first;
    step.context = a->people;
    bool done = corm_bundle_create("steps", &bundle, &a->error) == CORM_OK &&
                corm_bundle_add(bundle, &step, &a->error) == CORM_OK &&
                corm_bundle_apply(file, bundle, NULL, NULL, &a->error) == CORM_OK &&
                corm_bundle_status(file, bundle, &states, &a->error) == CORM_OK;
    printf("%s\n", done ? corm_bundle_states_json(states) : "");
    done = done && corm_bundle_revert(file, bundle, "0001_create_people", NULL, &a->error) == CORM_OK;
    corm_bundle_states_free(states);
    corm_bundle_free(bundle);
    return done;
}

static bool number(app *a, corm_database *file) {
    static const corm_version_step steps[] = {
        {.struct_size = sizeof steps[0],
         .version = 1,
         .up_sql = "CREATE TABLE note (text)",
         .down_sql = "DROP TABLE note"},
        {.struct_size = sizeof steps[0],
         .version = 2,
         .up_sql = "ALTER TABLE note ADD COLUMN day",
         .down_sql = "ALTER TABLE note DROP COLUMN day"},
    };
    int32_t version = 0;
    bool done = corm_migration_set_version(file, steps, 2, -1, NULL, &a->error) == CORM_OK &&
                corm_migration_set_version(file, steps, 2, 1, NULL, &a->error) == CORM_OK &&
                corm_migration_version(file, &version, &a->error) == CORM_OK;
    printf("version %" PRId32 "\n", version);
    return done;
}

/* A database that is not kept. */
static bool with_memory(app *a, bool (*use)(app *a, corm_database *file)) {
    corm_database *file = NULL;
    bool done = corm_database_open(":memory:", NULL, &file, &a->error) == CORM_OK && use(a, file);
    return corm_database_close(file, NULL) == CORM_OK && done;
}

int main(void) {
    app a = {0};
    remove("people.db");
    remove("people-before.db");
    bool done = corm_model_create(&person_def, &a.people, &a.error) == CORM_OK &&
                corm_database_open("people.db", NULL, &a.db, &a.error) == CORM_OK &&
                corm_database_execute_script(a.db, earlier, &a.error) == CORM_OK && refuse(&a) && plan(&a) &&
                sync(&a) && restore(&a) && save(&a) && generate(&a) && with_memory(&a, apply) &&
                with_memory(&a, number);
    if (!done)
        fprintf(stderr, "%s\n", corm_error_message(a.error));
    corm_error_free(a.error);
    corm_model_free(a.people);
    corm_database_close(a.db, NULL);
    return done ? 0 : 1;
}
