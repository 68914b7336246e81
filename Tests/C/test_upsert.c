/* ON CONFLICT: doing nothing, updating, and which conflict is meant. */
#include "statements.h"

typedef struct stock {
    int64_t id;
    const char *code;
    const char *shop;
    int64_t pieces;
} stock;

static const corm_column_def stock_columns[] = {
    CORM_COLUMN(stock, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(stock, code, CORM_TEXT, .not_null = true),
    CORM_COLUMN(stock, shop, CORM_TEXT, .not_null = true),
    CORM_COLUMN(stock, pieces, CORM_INT64),
};
static const char *const code_and_shop[] = {"code", "shop"};
static const corm_key_def stock_keys[] = {{.kind = CORM_KEY_UNIQUE, .columns = code_and_shop, .column_count = 2}};
static const corm_model_def stock_def = CORM_MODEL(stock, "Stock", stock_columns, .keys = stock_keys, .key_count = 1);
static corm_model *stocks;

static int set_up_stock(void **state) {
    set_up_statements(state);
    OK(corm_model_create(&stock_def, &stocks, &failure));
    OK(corm_model_create_tables(db, (const corm_model *const[]){stocks}, 1, &failure));
    stock pens = {1, "pen", "Oslo", 5};
    OK(corm_record_insert(db, stocks, &pens, CORM_CONFLICT_ABORT, NULL, &failure));
    return 0;
}

static int tear_down_stock(void **state) {
    corm_model_free(stocks);
    return tear_down_statements(state);
}
#define STOCK_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_stock, tear_down_stock)

static corm_statement *delivery(const char *code, int64_t pieces) {
    corm_statement *insert = corm_statement_create(CORM_INSERT, stocks, NULL);
    corm_statement_set(insert, "code", text(code));
    corm_statement_set(insert, "shop", text("Oslo"));
    corm_statement_set(insert, "pieces", number(pieces));
    return insert;
}

static corm_statement *one_for_each_person(void) {
    corm_statement *rows = with_column(select_from(people), text("pen"));
    with_column(rows, CORM_CALL("coalesce", column("city"), text("Oslo")));
    return with_column(rows, column("id"));
}

static void an_upsert_of_combined_rows(void **state) {
    (void)state;
    corm_statement *rows = one_for_each_person();
    corm_statement *more = one_for_each_person();
    corm_statement_compound(rows, CORM_UNION_ALL, more);
    corm_statement *insert = corm_statement_create(CORM_INSERT, stocks, NULL);
    corm_statement_insert_select(insert, (const char *const[]){"code", "shop", "pieces"}, 3, rows);
    corm_statement_upsert(insert, NULL, 0);
    int64_t changes;
    OK(corm_statement_execute(db, insert, CORM_NO_VALUES, &changes, &failure));
    assert_int_equal(changes, 3);
    corm_statement_free(insert);
    assert_int_equal(select_int("SELECT count(*) FROM stock"), 4);
}

static void returned_whether_inserted_or_updated(void **state) {
    (void)state;
    corm_statement *insert = delivery("pen", 3);
    corm_statement_upsert(insert, code_and_shop, 2);
    corm_statement_upsert_set(insert, "pieces", number(0));
    corm_statement_add(insert, CORM_CLAUSE_RETURNING, corm_expr_column(stocks, "id"));
    SELECTS(insert,
            "INSERT INTO \"stock\" (\"code\", \"shop\", \"pieces\") VALUES (?, ?, ?) ON CONFLICT (\"code\", \"shop\") "
            "DO UPDATE SET \"pieces\" = ? RETURNING \"id\"",
            "'pen', 'Oslo', 3, 0", "1");
}

static void upserts_that_cannot_be(void **state) {
    (void)state;
    corm_statement *wrong = delivery("pen", 1);
    corm_statement_upsert_set(wrong, "pieces", number(1));
    STATEMENT_FAILS(CORM_E_MISUSE, "corm_statement_upsert", wrong);
    wrong = delivery("pen", 1);
    corm_statement_upsert(wrong, NULL, 0);
    corm_statement_upsert_set(wrong, "pieces", number(1));
    STATEMENT_FAILS(CORM_E_MISUSE, "name the properties of the key", wrong);
    wrong = delivery("pen", 1);
    corm_statement_upsert(wrong, (const char *const[]){"kode"}, 1);
    STATEMENT_FAILS(CORM_E_MISUSE, "did you mean code?", wrong);
    wrong = delivery("pen", 1);
    corm_statement_upsert(wrong, code_and_shop, 2);
    corm_statement_upsert_set(wrong, "pieces", text("x"));
    STATEMENT_FAILS(CORM_E_TYPE, "Stock.pieces", wrong);
    wrong = corm_statement_create(CORM_UPDATE, stocks, NULL);
    corm_statement_upsert(wrong, code_and_shop, 2);
    STATEMENT_FAILS(CORM_E_MISUSE, "INSERT", wrong);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STOCK_TEST(an_upsert_of_combined_rows),
        STOCK_TEST(returned_whether_inserted_or_updated),
        STOCK_TEST(upserts_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
