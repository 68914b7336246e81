// The macros that put structs and arrays into an expression, as C++ has them. Compiled, never run.
#include <cormorant.h>

struct book {
    int64_t id;
    const char *title;
    corm_optional_int64 artist_id;
    double price;
};
static const corm_column_def book_columns[] = {
    CORM_COLUMN(book, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(book, title, CORM_TEXT, .not_null = true),
    CORM_COLUMN(book, artist_id, CORM_INT64),
    CORM_COLUMN(book, price, CORM_DOUBLE),
};
CORM_DEFINE(book, "Book", book_columns);

bool use_macros(corm_database *database, const char *title, double price, corm_error **error);

bool use_macros(corm_database *database, const char *title, double price, corm_error **error) {
    corm_database *other = nullptr;
    corm_model *archived = nullptr;
    corm_records *records = nullptr;
    corm_related *related = nullptr;
    corm_batch *batch = nullptr;
    book one = {}, two[2] = {};
    int64_t count = 0;
    corm_expr *condition = CORM_OR(
        CORM_AND(CORM_GT(CORM_COL(book, price), CORM_REAL(price)), CORM_IS_NULL(CORM_COL(book, artist_id))),
        CORM_LIKE(CORM_COL(book, title), CORM_STR(title)),
        CORM_AND(CORM_HAS_PREFIX(CORM_COL(book, title), CORM_STR(title)),
                 CORM_HAS_SUFFIX(CORM_COL(book, title), CORM_STR(title)),
                 CORM_CONTAINS(CORM_COL(book, title), CORM_STR(title)), CORM_IS_NOT_NULL(CORM_COL(book, artist_id)),
                 CORM_BETWEEN(CORM_ADD(CORM_COL(book, price), CORM_SUBTRACT(CORM_REAL(price), CORM_REAL(1))),
                              CORM_DIVIDE(CORM_REAL(price), CORM_INT(2)),
                              CORM_MULTIPLY(CORM_REAL(price), CORM_INT(2)))),
        CORM_IN(CORM_COL(book, id), corm_value_int64(count), corm_value_int64(3)),
        CORM_EQ(CORM_CALL("abs", CORM_COL(book, price)), CORM_REAL(price)));
    corm_statement *select = CORM_SELECT_OF(
        book, .columns = CORM_LIST(CORM_AS(CORM_COL(book, title), "title"), CORM_COUNT()),
        .group_by = CORM_LIST(CORM_COL(book, title)), .order_by = CORM_LIST(CORM_DESC(CORM_COUNT())), .limit = 3);
    corm_statement_free(select);
    return corm_database_open(":memory:", CORM_OPEN(.auto_sync = true), &other, error) == CORM_OK &&
           corm_model_create_variant(book_model, CORM_VARIANT(.suffix = title), &archived, error) == CORM_OK &&
           corm_model_create_tables(database, CORM_MODELS(book_model, archived), error) == CORM_OK &&
           corm_relation_add(archived, CORM_RELATION_DEF(.name = "same", .kind = CORM_TO_ONE, .target = book_model),
                             error) == CORM_OK &&
           corm_batch_commit(batch, CORM_BATCH_ROLLBACK, CORM_WRITE(.busy_timeout = -1, .tag = title), nullptr,
                             error) == CORM_OK &&
           corm_record_find(database, book_model, CORM_VALUES(corm_value_int64(1)), &one, nullptr, error) == CORM_OK &&
           corm_record_upsert(database, book_model, &one, 1, CORM_UPSERT(.on = "title"), nullptr, nullptr, error) ==
               CORM_OK &&
           corm_query_fetch(database, book_model, CORM_QUERY(.order_by = "-title", .limit = 9, .where = condition),
                            &records, error) == CORM_OK &&
           corm_query_update(database, book_model, CORM_QUERY(.limit = 0), CORM_SET({"price", CORM_REAL(price)}),
                             &count, error) == CORM_OK &&
           corm_relation_load(database, book_model, "artist", &one, 1, CORM_LOAD(.order_by = "id"), &related, error) ==
               CORM_OK &&
           corm_relation_save(
               database, book_model, &one, 1,
               CORM_LEVELS(CORM_LEVEL(.relation = "parts", .records = two, .count = 2, CORM_LINKS({0, 0}, {0, 1}))),
               nullptr, error) == CORM_OK;
}
