/* UPDATE, DELETE and INSERT by expressions, with RETURNING. */
#include "statements.h"

#include <stdio.h>

static corm_statement *update_people(void) { return corm_statement_create(CORM_UPDATE, people, NULL); }
static corm_statement *delete_from(corm_model *model) { return corm_statement_create(CORM_DELETE, model, NULL); }
static corm_statement *insert_pet(void) { return corm_statement_create(CORM_INSERT, pets, NULL); }

static corm_statement *with_set(corm_statement *statement, const char *property, corm_expr *value) {
    corm_statement_set(statement, property, value);
    return statement;
}

static corm_statement *returning(corm_statement *statement, corm_expr *column) {
    corm_statement_add(statement, CORM_CLAUSE_RETURNING, column);
    return statement;
}

static void insert_values(void **state) {
    (void)state;
    corm_statement *insert = with_set(with_set(insert_pet(), "name", text("Zoe")), "owner_id", number(2));
    with_set(insert, "weight", binary(CORM_OP_MULTIPLY, number(3), number(5)));
    CHANGES(insert, "INSERT INTO \"pet\" (\"name\", \"owner_id\", \"weight\") VALUES (?, ?, ? * ?)", "'Zoe', 2, 3, 5",
            1, "SELECT * FROM pet WHERE id > 5", "6 2 Zoe 15");
    assert_int_equal(corm_database_last_insert_id(db), 6);
    OK(corm_database_execute(db, "CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER DEFAULT 7)", CORM_NO_VALUES,
                             NULL, &failure));
    typedef struct counter {
        int64_t id;
        int64_t n;
    } counter;
    static const corm_column_def columns[] = {CORM_COLUMN(counter, id, CORM_INT64, .primary_key = true),
                                              CORM_COLUMN(counter, n, CORM_INT64, .default_sql = "7")};
    static const corm_model_def definition = CORM_MODEL(counter, "Counter", columns);
    corm_model *counters;
    OK(corm_model_create(&definition, &counters, &failure));
    CHANGES(corm_statement_create(CORM_INSERT, counters, NULL), "INSERT INTO \"counter\" DEFAULT VALUES", "", 1,
            "SELECT * FROM counter", "1 7");
    corm_model_free(counters);
}

static void returned_rows(void **state) {
    (void)state;
    SELECTS(returning(returning(with_set(insert_pet(), "name", text("Zoe")), pet_column("id")),
                      corm_expr_as(CORM_CALL("upper", pet_column("name")), "loud")),
            "INSERT INTO \"pet\" (\"name\") VALUES (?) RETURNING \"id\", upper(\"name\") AS \"loud\"", "'Zoe'",
            "6 ZOE");
    SELECTS(returning(where(with_set(update_people(), "age", number(1)), CORM_LE(people, "id", corm_value_int64(2))),
                      column("name")),
            "UPDATE \"person\" SET \"age\" = ? WHERE \"id\" <= ? RETURNING \"name\"", "1, 2", "Ada; Bob");
    SELECTS(returning(where(delete_from(pets), CORM_EQ(pets, "name", corm_value_text("Tom"))), pet_column("id")),
            "DELETE FROM \"pet\" WHERE \"name\" = ? RETURNING \"id\"", "'Tom'", "2; 5");
    corm_statement *counted = returning(delete_from(pets), pet_column("id"));
    int64_t changes;
    OK(corm_statement_execute(db, counted, CORM_NO_VALUES, &changes, &failure));
    assert_int_equal(changes, 4);
    corm_statement_free(counted);
}

static void conflict_policies(void **state) {
    (void)state;
    static const char *const words[] = {"", "OR IGNORE ", "OR REPLACE ", "OR FAIL ", "OR ROLLBACK "};
    for (int32_t policy = CORM_CONFLICT_ABORT; policy <= CORM_CONFLICT_ROLLBACK; policy += 1) {
        char sql[100];
        corm_statement *insert = with_set(with_set(insert_pet(), "id", number(1)), "name", text("Max"));
        corm_statement_conflict(insert, policy);
        snprintf(sql, sizeof sql, "INSERT %sINTO \"pet\" (\"id\", \"name\") VALUES (?, ?)", words[policy]);
        if (policy == CORM_CONFLICT_IGNORE || policy == CORM_CONFLICT_REPLACE) {
            CHANGES(insert, sql, "1, 'Max'", policy == CORM_CONFLICT_REPLACE, "SELECT name FROM pet WHERE id = 1",
                    policy == CORM_CONFLICT_REPLACE ? "Max" : "Rex");
        } else {
            GIVES(CORM_E_UNIQUE, corm_statement_execute(db, insert, CORM_NO_VALUES, NULL, &failure));
            assert_string_equal(corm_error_sql(failure), sql);
            corm_statement_free(insert);
        }
    }
    corm_statement *update = with_set(update_people(), "id", number(1));
    corm_statement_conflict(update, CORM_CONFLICT_IGNORE);
    CHANGES(where(update, CORM_EQ(people, "id", corm_value_int64(3))),
            "UPDATE OR IGNORE \"person\" SET \"id\" = ? WHERE \"id\" = ?", "1, 3", 0, "SELECT count(*) FROM person",
            "6");
    corm_statement *wrong = insert_pet();
    corm_statement_conflict(wrong, 5);
    STATEMENT_FAILS(CORM_E_MISUSE, "CORM_CONFLICT_", wrong);
    wrong = delete_from(pets);
    corm_statement_conflict(wrong, CORM_CONFLICT_IGNORE);
    STATEMENT_FAILS(CORM_E_MISUSE, "DELETE", wrong);
}

static void values_of_the_columns_type(void **state) {
    (void)state;
    STATEMENT_FAILS(CORM_E_TYPE, "Person.age", with_set(update_people(), "age", text("old")));
    STATEMENT_FAILS(CORM_E_TYPE, "Pet.name", with_set(insert_pet(), "name", number(1)));
    STATEMENT_FAILS(CORM_E_MISUSE, "did you mean weight?", with_set(insert_pet(), "wieght", number(1)));
    corm_statement *missing = with_set(insert_pet(), "weight", number(1));
    GIVES(CORM_E_NOT_NULL, corm_statement_execute(db, missing, CORM_NO_VALUES, NULL, &failure));
    corm_statement_free(missing);
    corm_statement *stray = with_set(with_set(insert_pet(), "name", text("x")), "owner_id", number(99));
    GIVES(CORM_E_FOREIGN_KEY, corm_statement_execute(db, stray, CORM_NO_VALUES, NULL, &failure));
    corm_statement_free(stray);
    corm_statement *young = with_set(update_people(), "age", number(-1));
    GIVES(CORM_E_CHECK, corm_statement_execute(db, young, CORM_NO_VALUES, NULL, &failure));
    corm_statement_free(young);
}

static void an_insert_has_values_or_rows(void **state) {
    (void)state;
    corm_statement *both = with_set(insert_pet(), "weight", number(1));
    corm_statement_insert_select(both, (const char *const[]){"name"}, 1, with_column(select_nothing(), text("x")));
    STATEMENT_FAILS(CORM_E_MISUSE, "", both);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(an_insert_has_values_or_rows),
        STATEMENT_TEST(insert_values),
        STATEMENT_TEST(returned_rows),
        STATEMENT_TEST(conflict_policies),
        STATEMENT_TEST(values_of_the_columns_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
