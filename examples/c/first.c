/* The first program of docs/c/index.md. */
#include <cormorant.h>
#include <stdio.h>

typedef struct book {
    int64_t id;
    const char *title;
    corm_optional_int64 year;
} book;

static const corm_column_def book_columns[] = {
    CORM_COLUMN(book, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(book, title, CORM_TEXT, .not_null = true),
    CORM_COLUMN(book, year, CORM_INT64),
};
static const corm_model_def book_def = CORM_MODEL(book, "Book", book_columns);

int main(void) {
    corm_database *db = NULL;
    corm_model *books = NULL;
    corm_records *found = NULL;
    corm_error *error = NULL;
    book one = {.title = "Dune", .year = {true, 1965}};
    bool done = corm_database_open(":memory:", NULL, &db, &error) == CORM_OK &&
                corm_model_create(&book_def, &books, &error) == CORM_OK &&
                corm_model_create_tables(db, CORM_MODELS(books), &error) == CORM_OK &&
                corm_record_insert(db, books, &one, CORM_CONFLICT_ABORT, NULL, &error) == CORM_OK &&
                corm_query_fetch(db, books, NULL, &found, &error) == CORM_OK;
    const book *all = corm_records_data(found);
    for (size_t i = 0; i < corm_records_count(found); i++)
        printf("%d: %s\n", (int)all[i].id, all[i].title);
    if (!done)
        fprintf(stderr, "%s\n", corm_error_message(error));
    corm_error_free(error);
    corm_records_free(found);
    corm_model_free(books);
    return corm_database_close(db, NULL) == CORM_OK && done ? 0 : 1;
}
