/* What errors tell, and how long they live. */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void no_error_answers_too(void **state) {
    (void)state;
    corm_error_free(NULL);
    assert_int_equal(corm_error_code(NULL), CORM_E_MISUSE);
    assert_non_null(corm_error_message(NULL));
    assert_null(corm_error_hint(NULL));
    const corm_error_info *info = corm_error_info_get(NULL);
    assert_int_equal(info->sqlite_code, 0);
    assert_int_equal(info->offset, -1);
    assert_null(info->sql);
    assert_null(info->table);
    assert_null(info->columns);
    assert_int_equal(info->column_count, 0);
    assert_null(info->constraint);
    assert_int_equal(info->record_index, -1);
}

static void a_freed_error_answers_too(void **state) {
    (void)state;
    corm_error *error = NULL;
    assert_int_equal(corm_database_execute(db, "SELEC", CORM_NO_VALUES, NULL, &error), CORM_E_SQL);
    corm_error_free(error);
    assert_int_equal(corm_error_code(error), CORM_E_MISUSE);
    assert_non_null(corm_error_message(error));
    assert_null(corm_error_info_get(error)->sql);
    corm_error_free(error);
}

static void a_constraint_error_names_its_parts(void **state) {
    (void)state;
    insert_people(1);
    person again = {.id = 1, .name = "again"};
    GIVES(CORM_E_UNIQUE, corm_record_insert(db, people, &again, CORM_CONFLICT_ABORT, NULL, &failure));
    const corm_error_info *info = corm_error_info_get(failure);
    assert_int_equal(info->sqlite_code, 1555);
    assert_string_equal(info->table, "person");
    assert_string_equal(columns_of(failure), "id");
    assert_string_equal(info->constraint, "PRIMARY KEY");
    assert_non_null(corm_error_hint(failure));
    assert_non_null(info->sql);
    assert_int_equal(info->offset, -1);

    person young = {.name = "young", .age = {true, -1}};
    GIVES(CORM_E_CHECK, corm_record_insert(db, people, &young, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_string_equal(corm_error_info_get(failure)->table, "person");
    assert_string_equal(columns_of(failure), "age");
    assert_non_null(corm_error_info_get(failure)->constraint);
    assert_int_equal(corm_error_info_get(failure)->sqlite_code, 275);

    person nameless = {.city = "Paris"};
    GIVES(CORM_E_NOT_NULL, corm_record_insert(db, people, &nameless, CORM_CONFLICT_ABORT, NULL, &failure));
    assert_string_equal(corm_error_info_get(failure)->table, "person");
    assert_string_equal(columns_of(failure), "name");
    assert_string_equal(corm_error_info_get(failure)->constraint, "NOT NULL");
}

static void an_error_outlives_its_database(void **state) {
    (void)state;
    corm_error *error = NULL;
    assert_int_equal(corm_database_execute(db, "SELECT nosuch", CORM_NO_VALUES, NULL, &error), CORM_E_SQL);
    OK(corm_database_close(db, &failure));
    db = NULL;
    assert_int_equal(corm_error_code(error), CORM_E_SQL);
    assert_string_equal(corm_error_info_get(error)->sql, "SELECT nosuch");
    assert_non_null(strstr(corm_error_message(error), "nosuch"));
    corm_error_free(error);
}

static void success_leaves_the_error_alone(void **state) {
    (void)state;
    corm_error *mine = (corm_error *)&mine;
    assert_int_equal(corm_database_execute(db, "DELETE FROM person", CORM_NO_VALUES, NULL, &mine), CORM_OK);
    assert_ptr_equal(mine, (corm_error *)&mine);
    assert_int_equal(corm_record_exists(db, people, CORM_VALUES(corm_value_int64(1)), &mine), CORM_NOT_FOUND);
    assert_ptr_equal(mine, (corm_error *)&mine);
}

static void the_error_is_not_wanted(void **state) {
    (void)state;
    person nameless = {0};
    assert_int_equal(corm_database_execute(db, "SELEC", CORM_NO_VALUES, NULL, NULL), CORM_E_SQL);
    assert_int_equal(corm_database_open("/no/such/file", NULL, &db, NULL), CORM_E_CANNOT_OPEN);
    assert_int_equal(corm_record_insert(db, people, &nameless, 0, NULL, NULL), CORM_E_NOT_NULL);
    assert_int_equal(corm_model_create(NULL, &people, NULL), CORM_E_MISUSE);
}

static void bound_values_are_not_in_it(void **state) {
    (void)state;
    person secret = {.id = 770077, .name = "hunter2", .city = "hunter2", .age = {true, -770077}};
    GIVES(CORM_E_CHECK, corm_record_insert(db, people, &secret, CORM_CONFLICT_ABORT, NULL, &failure));
    const char *texts[] = {corm_error_message(failure), corm_error_hint(failure), corm_error_info_get(failure)->sql,
                           corm_error_info_get(failure)->constraint};
    for (size_t index = 0; index < 4; index += 1) {
        assert_true(texts[index] == NULL || strstr(texts[index], "hunter2") == NULL);
        assert_true(texts[index] == NULL || strstr(texts[index], "770077") == NULL);
    }
    GIVES(CORM_E_BINDING,
          corm_database_execute(db, "SELECT :a", CORM_VALUES(corm_value_text("hunter2"), corm_value_text("x")), NULL,
                                &failure));
    assert_null(strstr(corm_error_message(failure), "hunter2"));
}

/* What a log was told, and on what thread. */
typedef struct {
    int count;
    char message[200];
    bool has_hint;
    corm_status code;
    int64_t thread;
} misuse;

static void note_misuse(const corm_error *error, void *context) {
    misuse *told = context;
    told->count += 1;
    told->code = corm_error_code(error);
    told->has_hint = corm_error_hint(error) != NULL;
    told->thread = corm_thread_id();
    snprintf(told->message, sizeof told->message, "%s", corm_error_message(error));
    /* What goes wrong here is not told. */
    assert_int_equal(corm_database_execute(NULL, "SELECT 1", CORM_NO_VALUES, NULL, NULL), CORM_E_MISUSE);
}

static int told_by_a_fork;

/* Forks, and notes what its child is told of what it does wrong. */
static void fork_in_the_log(const corm_error *error, void *context) {
    int *depth = context;
    (void)error;
    if (++*depth > 1)
        return;
    pid_t child = fork();
    if (child == 0) {
        corm_database_execute(NULL, "SELECT 1", CORM_NO_VALUES, NULL, NULL);
        _exit(*depth);
    }
    int status = 0;
    waitpid(child, &status, 0);
    told_by_a_fork = WEXITSTATUS(status);
}

static void the_child_of_a_fork_in_the_log_is_in_the_log(void **state) {
    (void)state;
    int depth = 0;
    corm_misuse_set_log(fork_in_the_log, &depth);
    corm_database_execute(NULL, "SELECT 1", CORM_NO_VALUES, NULL, NULL);
    corm_misuse_set_log(NULL, NULL);
    assert_int_equal(told_by_a_fork, 1);
}

static corm_status misuse_in_a_write(corm_database *database, void *unused, corm_error **error) {
    (void)unused;
    return corm_database_execute(database, NULL, CORM_NO_VALUES, NULL, error);
}

static void a_log_is_told_of_misuse(void **state) {
    (void)state;
    misuse told = {0};
    corm_misuse_set_log(note_misuse, &told);
    OK(corm_database_execute(db, "DELETE FROM person", CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_E_SQL, corm_database_execute(db, "SELEC", CORM_NO_VALUES, NULL, &failure));
    assert_int_equal(told.count, 0);
    /* Whether or not the error is wanted. */
    assert_int_equal(corm_database_execute(db, NULL, CORM_NO_VALUES, NULL, NULL), CORM_E_MISUSE);
    assert_int_equal(told.count, 1);
    assert_string_equal(told.message, "the SQL is NULL");
    assert_true(told.has_hint);
    assert_int_equal(told.code, CORM_E_MISUSE);
    assert_int_equal(told.thread, corm_thread_id());
    GIVES(CORM_E_MISUSE, corm_database_execute(NULL, "SELECT 1", CORM_NO_VALUES, NULL, &failure));
    assert_int_equal(told.count, 2);
    assert_string_equal(told.message, corm_error_message(failure));
    /* The call in the body, and the one that passes its error on. */
    corm_queue *queue = NULL;
    OK(corm_queue_open(db, NULL, &queue, &failure));
    GIVES(CORM_E_MISUSE, corm_queue_perform(queue, misuse_in_a_write, NULL, &failure));
    assert_int_equal(told.count, 4);
    OK(corm_queue_close(queue, &failure));
    /* The child of a fork goes on with it. */
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        told.count = 0;
        corm_database_execute(NULL, "SELECT 1", CORM_NO_VALUES, NULL, NULL);
        _exit(told.count);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 1);
    corm_misuse_set_log(NULL, NULL);
    assert_int_equal(corm_database_execute(NULL, "SELECT 1", CORM_NO_VALUES, NULL, NULL), CORM_E_MISUSE);
    assert_int_equal(told.count, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_error_answers_too),
        TEST(a_freed_error_answers_too),
        TEST(a_constraint_error_names_its_parts),
        TEST(an_error_outlives_its_database),
        TEST(success_leaves_the_error_alone),
        TEST(the_error_is_not_wanted),
        TEST(bound_values_are_not_in_it),
        TEST(a_log_is_told_of_misuse),
        TEST(the_child_of_a_fork_in_the_log_is_in_the_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
