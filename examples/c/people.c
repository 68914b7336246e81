/* People and their departments: what a day with Cormorant looks like in C. */
#include <cormorant.h>
#include <inttypes.h>
#include <stdio.h>

/* Plain structs are the records. A number that may be NULL is a corm_optional_*; a text may be NULL unless not_null is set. */
typedef struct department {
    int64_t id;
    const char *name;
} department;

typedef struct person {
    int64_t id;
    const char *name;
    corm_optional_int64 age;
    int64_t departmentId;
    const char *badge;
} person;

static const corm_column_def department_columns[] = {
    CORM_COLUMN(department, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(department, name, CORM_TEXT, .not_null = true, .unique = true),
};
static const corm_model_def department_def = CORM_MODEL(department, "Department", department_columns);

static const corm_column_def person_columns[] = {
    CORM_COLUMN(person, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(person, name, CORM_TEXT, .not_null = true),
    CORM_COLUMN(person, age, CORM_INT64, .check_sql = "age >= 0"),
    CORM_COLUMN(person, departmentId, CORM_INT64, .indexed = true, .references_table = "department"),
    CORM_COLUMN(person, badge, CORM_TEXT, .computed_sql = "upper(substr(name, 1, 3)) || '-' || department_id"),
};
static const corm_model_def person_def = CORM_MODEL(person, "Person", person_columns);

/* Everything the program holds on to. */
typedef struct app {
    corm_database *db;
    corm_model *departments;
    corm_model *people;
    corm_arena *arena; /* where texts live that come back into our own structs */
    corm_error *error; /* the newest, if any */
} app;

/* An error says what went wrong, what to do, and where. */
static void print_error(const char *doing, const corm_error *error) {
    printf("%s: %s\n", doing, corm_error_message(error));
    if (corm_error_hint(error))
        printf("  hint: %s\n", corm_error_hint(error));
    const corm_error_info *info = corm_error_info_get(error);
    if (info->table)
        printf("  table: %s\n", info->table);
    for (size_t index = 0; index < info->column_count; index += 1)
        printf("  column: %s\n", info->columns[index]);
    if (info->record_index >= 0)
        printf("  record of the batch: %" PRId64 "\n", info->record_index);
    if (info->offset >= 0)
        printf("  SQL: %s\n       %*s^\n", info->sql, info->offset, "");
}

static void print_person(const person *one) {
    printf("  %" PRId64 " %-16s", one->id, one->name);
    if (one->age.has_value)
        printf(" %3" PRId64, one->age.value);
    else
        printf("   -");
    printf("  %s\n", one->badge);
}

static bool open_and_create(app *a) {
    return corm_database_open(":memory:", NULL, &a->db, &a->error) == CORM_OK &&
           corm_model_create(&department_def, &a->departments, &a->error) == CORM_OK &&
           corm_model_create(&person_def, &a->people, &a->error) == CORM_OK &&
           corm_model_create_tables(a->db, CORM_MODELS(a->people, a->departments), &a->error) == CORM_OK;
}

static bool insert(app *a) {
    department compilers = {.name = "Compilers"};
    department engines = {.name = "Engines"};
    if (corm_record_insert(a->db, a->departments, &compilers, CORM_CONFLICT_ABORT, a->arena, &a->error) != CORM_OK ||
        corm_record_insert(a->db, a->departments, &engines, CORM_CONFLICT_ABORT, a->arena, &a->error) != CORM_OK) {
        return false;
    }
    /* A batch: one transaction, and every record gets its key. */
    person staff[] = {
        {.name = "Grace Hopper", .age = {true, 85}, .departmentId = compilers.id},
        {.name = "Ada Lovelace", .age = {true, 36}, .departmentId = engines.id},
        {.name = "Charles Babbage", .departmentId = engines.id},
    };
    if (corm_record_insert_many(a->db, a->people, staff, 3, CORM_CONFLICT_ABORT, a->arena, NULL, &a->error) !=
        CORM_OK) {
        return false;
    }
    printf("Inserted:\n");
    for (int index = 0; index < 3; index += 1)
        print_person(&staff[index]);
    return true;
}

static bool find_update_delete(app *a) {
    person found;
    corm_status status =
        corm_record_find(a->db, a->people, CORM_VALUES(corm_value_int64(3)), &found, a->arena, &a->error);
    if (status != CORM_OK)
        return false; /* an error, or CORM_NOT_FOUND */
    found.age = (corm_optional_int64){true, 79};
    found.name = "C. Babbage";
    if (corm_record_update(a->db, a->people, &found, NULL, a->arena, &a->error) != CORM_OK)
        return false;
    printf("Updated:\n");
    print_person(&found);
    return corm_record_delete(a->db, a->people, &found, &a->error) == CORM_OK;
}

static bool fetch_an_array(app *a) {
    corm_query query = CORM_QUERY_INIT;
    corm_records *records;
    query.order_by = "-age, name";
    query.limit = 10;
    if (corm_query_fetch(a->db, a->people, &query, &records, &a->error) != CORM_OK)
        return false;
    const person *staff = corm_records_data(records);
    printf("By age:\n");
    for (size_t index = 0; index < corm_records_count(records); index += 1)
        print_person(&staff[index]);
    corm_records_free(records); /* the array and its texts */
    return true;
}

static bool stream(app *a) {
    corm_value engines[] = {corm_value_named("departmentId", corm_value_int64(2))};
    corm_query query = CORM_QUERY_INIT;
    corm_cursor *cursor;
    corm_status status;
    person one;
    query.values = engines;
    query.value_count = 1;
    if (corm_cursor_open(a->db, a->people, &query, &cursor, &a->error) != CORM_OK)
        return false;
    printf("Streamed, of Engines:\n");
    while ((status = corm_cursor_next(cursor, &one, &a->error)) == CORM_ROW)
        print_person(&one);
    corm_cursor_close(cursor);
    return status == CORM_DONE;
}

static bool raw_sql(app *a) {
    corm_result *result;
    corm_status status;
    const char *json;
    if (corm_result_open(a->db,
                         "SELECT d.name AS department, count(p.id) AS people, avg(p.age) AS age "
                         "FROM department d LEFT JOIN person p ON p.department_id = d.id "
                         "WHERE d.name > :after GROUP BY d.id",
                         CORM_VALUES(corm_value_named("after", corm_value_text("A"))), &result, &a->error) != CORM_OK) {
        return false;
    }
    printf("Raw SQL, rows as JSON:\n");
    while ((status = corm_result_next(result, &a->error)) == CORM_ROW) {
        if (corm_result_row_json(result, &json, &a->error) == CORM_OK)
            printf("  %s\n", json);
    }
    corm_result_close(result);
    return status == CORM_DONE;
}

/* The second person of the batch refers to a department that is not there: nothing of the transaction stays. */
static bool transaction(app *a) {
    person staff[] = {{.name = "Alan Turing", .departmentId = 1}, {.name = "Nobody", .departmentId = 99}};
    if (corm_transaction_begin(a->db, CORM_TRANSACTION_IMMEDIATE, &a->error) != CORM_OK)
        return false;
    if (corm_record_insert_many(a->db, a->people, staff, 2, CORM_CONFLICT_ABORT, a->arena, NULL, &a->error) ==
        CORM_OK) {
        return corm_transaction_commit(a->db, &a->error) == CORM_OK;
    }
    print_error("Inserting two people", a->error);
    corm_error_free(a->error);
    a->error = NULL;
    int64_t count;
    if (corm_transaction_rollback(a->db, &a->error) != CORM_OK ||
        corm_query_count(a->db, a->people, NULL, &count, &a->error) != CORM_OK) {
        return false;
    }
    printf("Rolled back; there are %" PRId64 " people.\n", count);
    return true;
}

static void wrong_sql(app *a) {
    if (corm_database_execute(a->db, "UPDATE person SET age = agee + 1", CORM_NO_VALUES, NULL, &a->error) == CORM_OK)
        return;
    print_error("Birthdays", a->error);
    corm_error_free(a->error);
    a->error = NULL;
}

int main(void) {
    app a = {.arena = corm_arena_create()};
    bool done = open_and_create(&a) && insert(&a) && find_update_delete(&a) && fetch_an_array(&a) && stream(&a) &&
                raw_sql(&a) && transaction(&a);
    if (done)
        wrong_sql(&a);
    else if (a.error != NULL)
        print_error("The example failed", a.error);
    corm_error_free(a.error);
    corm_arena_free(a.arena);
    corm_model_free(a.people);
    corm_model_free(a.departments);
    return corm_database_close(a.db, NULL) == CORM_OK && done ? 0 : 1;
}
