/* What errors say: one line, what is wrong where, and what to do (finding c.md 6, 9, 10). */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void says(const char *part) {
    if (strstr(corm_error_message(failure), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", corm_error_message(failure), part);
}

static void hints(const char *part) {
    const char *hint = corm_error_hint(failure);
    if (hint == NULL || strstr(hint, part) == NULL)
        fail_msg("\"%s\" does not hint \"%s\"", hint, part);
}

static void a_message_is_one_line(void **state) {
    (void)state;
    char *long_sql = malloc(100001);
    memset(long_sql, 'x', 100000);
    long_sql[100000] = 0;
    const char *const wrong[] = {"SELECT 'abc\ndef", "SELECT \"a\x1b]0;pwn\x07\"", "SELECT 'a\x7f\r\t", long_sql};
    for (size_t index = 0; index < 4; index += 1) {
        GIVES(CORM_E_SQL, corm_database_execute(db, wrong[index], CORM_NO_VALUES, NULL, &failure));
        const char *message = corm_error_message(failure);
        assert_true(strlen(message) < 2100);
        for (const char *at = message; *at; at += 1)
            assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
    }
    free(long_sql);
}

static void numbers_have_their_words(void **state) {
    (void)state;
    person one;
    GIVES(CORM_E_BINDING, corm_database_execute(db, "DELETE FROM person WHERE id = ?", CORM_NO_VALUES, NULL, &failure));
    says("the statement has 1 parameter, 0 values were given");
    GIVES(CORM_E_BINDING,
          corm_database_execute(db, "DELETE FROM person", CORM_VALUES(corm_value_int64(1)), NULL, &failure));
    says("the statement has 0 parameters, 1 value was given");
    corm_arena *arena = corm_arena_create();
    GIVES(CORM_E_BINDING,
          corm_record_find(db, people, CORM_VALUES(corm_value_int64(1), corm_value_int64(2)), &one, arena, &failure));
    says("the primary key of Person has 1 value, 2 values were given");
    corm_arena_free(arena);
}

static void what_is_no_json_is_not_null(void **state) {
    (void)state;
    static const char *const wrong[] = {"nonsense", "true!", "fals", "nul"};
    corm_json_reader *reader;
    corm_records *records;
    for (size_t index = 0; index < 4; index += 1) {
        OK(corm_json_reader_create(people, NULL, &reader, &failure));
        OK(corm_json_reader_feed(reader, wrong[index], strlen(wrong[index]), &failure));
        OK(corm_json_reader_feed(reader, NULL, 0, &failure));
        forget_failure();
        corm_status status = corm_json_reader_fetch(reader, 0, &records, &failure);
        assert_true(status < 0);
        assert_true(index == 1 || strstr(corm_error_message(failure), "found null") == NULL);
        if (index != 1)
            assert_int_equal(status, CORM_E_JSON);
        corm_json_reader_free(reader);
    }
}

static void the_row_that_cannot_be_read_is_named(void **state) {
    (void)state;
    corm_records *records;
    insert_people(7);
    OK(corm_database_execute_script(db,
                                    "PRAGMA ignore_check_constraints = ON; UPDATE person SET age = 'old' WHERE id = 6;"
                                    "PRAGMA ignore_check_constraints = OFF",
                                    &failure));
    GIVES(CORM_E_TYPE, corm_query_fetch(db, people, NULL, &records, &failure));
    says("person.age holds text, not an integer (in the row with the key 6)");
    assert_int_equal(corm_error_record_index(failure), 5);
}

static void relations_that_are_not_there(void **state) {
    (void)state;
    person one = {.id = 1};
    corm_related *related;
    GIVES(CORM_E_MISUSE, corm_relation_load(db, people, "friends", &one, 1, NULL, &related, &failure));
    hints("the model has no relations");
}

static corm_status commit_in_step(corm_database *database, void *context, corm_error **error) {
    (void)error;
    (void)context;
    GIVES(CORM_E_TRANSACTION, corm_database_execute(database, "COMMIT", CORM_NO_VALUES, NULL, &failure));
    says("COMMIT");
    GIVES(CORM_E_MIGRATION,
          corm_database_execute(database, "PRAGMA writable_schema = 1", CORM_NO_VALUES, NULL, &failure));
    says("PRAGMA writable_schema is refused");
    GIVES(CORM_E_TRANSACTION,
          corm_database_execute(database, "ATTACH ':memory:' AS other", CORM_NO_VALUES, NULL, &failure));
    says("a step of a migration has its transaction");
    hints("leave ATTACH out");
    forget_failure();
    return CORM_OK;
}

static void a_step_ends_no_transaction(void **state) {
    (void)state;
    corm_bundle *bundle;
    const corm_bundle_step step = {.struct_size = sizeof step, .id = "1", .up = commit_in_step};
    OK(corm_bundle_create(NULL, &bundle, &failure));
    OK(corm_bundle_add(bundle, &step, &failure));
    OK(corm_bundle_apply(db, bundle, NULL, NULL, &failure));
    corm_bundle_free(bundle);
}

static void a_text_that_is_no_json_is_called_so(void **state) {
    (void)state;
    typedef struct {
        int64_t id;
        const char *js;
    } note;
    const corm_column_def columns[] = {CORM_COLUMN(note, id, CORM_INT64, .primary_key = true),
                                       CORM_COLUMN(note, js, CORM_JSON)};
    const corm_model_def definition = CORM_MODEL(note, "Note", columns);
    corm_model *notes;
    OK(corm_model_create(&definition, &notes, &failure));
    OK(corm_model_create_tables(db, (const corm_model *const[]){notes}, 1, &failure));
    GIVES(CORM_E_CHECK, corm_record_insert(db, notes, &(note){.js = "{"}, 0, NULL, &failure));
    says("Note.js is not JSON");
    assert_string_equal(columns_of(failure), "js");
    corm_model_free(notes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_message_is_one_line),
        TEST(numbers_have_their_words),
        TEST(what_is_no_json_is_not_null),
        TEST(the_row_that_cannot_be_read_is_named),
        TEST(relations_that_are_not_there),
        TEST(a_step_ends_no_transaction),
        TEST(a_text_that_is_no_json_is_called_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
