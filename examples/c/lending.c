/* A lending library of six models and their relations. lending_sqlite3.c is the same program without Cormorant. */
#include <cormorant.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

CORM_STRUCT(author, (int64_t, id, CORM_INT64, .primary_key = true),
            (const char *, name, CORM_TEXT, .not_null = true, .unique = true));
CORM_STRUCT(book, (int64_t, id, CORM_INT64, .primary_key = true), (const char *, title, CORM_TEXT, .not_null = true),
            (int32_t, year, CORM_INT32, .check_sql = "year > 0"));
CORM_STRUCT(authorship,
            (int64_t, book_id, CORM_INT64, .primary_key = true, .references_table = "book", .across = "authors"),
            (int64_t, author_id, CORM_INT64, .primary_key = true, .references_table = "author", .across = "books"));
CORM_STRUCT(copy, (int64_t, id, CORM_INT64, .primary_key = true),
            (int64_t, book_id, CORM_INT64, .references_table = "book", .relation = "book", .inverse = "copies"));
CORM_STRUCT(member, (int64_t, id, CORM_INT64, .primary_key = true), (const char *, name, CORM_TEXT, .not_null = true));
CORM_STRUCT(loan, (int64_t, id, CORM_INT64, .primary_key = true),
            (int64_t, copy_id, CORM_INT64, .references_table = "copy", .relation = "copy", .inverse = "loans"),
            (int64_t, member_id, CORM_INT64, .references_table = "member", .relation = "member", .inverse = "loans"),
            (corm_optional_int64, returned, CORM_INT64));

static const corm_key_def one_loan_of_a_copy[] = {
    {.kind = CORM_KEY_UNIQUE, .columns = "copy_id", .where_sql = "returned IS NULL"},
};
CORM_DEFINE(author, "author", author_columns);
CORM_DEFINE(book, "book", book_columns);
CORM_DEFINE(authorship, "authorship", authorship_columns);
CORM_DEFINE(copy, "copy", copy_columns);
CORM_DEFINE(member, "member", member_columns);
CORM_DEFINE(loan, "loan", loan_columns, .keys = one_loan_of_a_copy, .key_count = 1);

static corm_database *db;
static corm_arena *arena;
static corm_error *error;

static void must(corm_status status) {
    if (status >= CORM_OK)
        return;
    fprintf(stderr, "%s\n", error ? corm_error_message(error) : corm_status_name(status));
    exit(1);
}

/* Books go in with their authors and copies, in one transaction: keys are filled in and passed on. */
static void fill(void) {
    author authors[] = {{.name = "Terry Pratchett"}, {.name = "Neil Gaiman"}, {.name = "Ursula K. Le Guin"}};
    book books[] = {
        {.title = "Good Omens", .year = 1990}, {.title = "Mort", .year = 1987}, {.title = "Tehanu", .year = 1990}};
    copy copies[6] = {{0}};
    member members[] = {{.name = "Ada"}, {.name = "Bob"}, {.name = "Cy"}};
    loan loans[] = {{.copy_id = 1, .member_id = 1},
                    {.copy_id = 3, .member_id = 1, .returned = {true, 5}},
                    {.copy_id = 2, .member_id = 2},
                    {.copy_id = 5, .member_id = 3},
                    {.copy_id = 3, .member_id = 2}};
    must(corm_relation_save(db, CORM_OF(book, books), 3,
                            CORM_LEVELS(CORM_LEVEL(.relation = "authors", .records = authors, .count = 3,
                                                   CORM_LINKS({0, 0}, {0, 1}, {1, 0}, {2, 2})),
                                        CORM_LEVEL(.relation = "copies", .records = copies, .count = 6)),
                            NULL, &error));
    must(corm_record_insert_many(db, CORM_OF(member, members), 3, CORM_CONFLICT_ABORT, NULL, NULL, &error));
    must(corm_record_insert_many(db, CORM_OF(loan, loans), 5, CORM_CONFLICT_ABORT, NULL, NULL, &error));
}

/* A page of members with their loans, and the books of these: a statement for each level. */
static void print_page(int64_t page) {
    member *members;
    size_t count, loan_count, next = 0;
    corm_related *loans;
    must(CORM_FETCH(member, db, CORM_QUERY(.order_by = "name", .limit = 2, .offset = 2 * page), arena, &members, &count,
                    &error));
    must(corm_relation_load(db, member_model, "loans.copy.book", members, count, CORM_LOAD(.order_by = "id"), &loans,
                            &error));
    corm_related *books = corm_related_next(corm_related_next(loans));
    printf("Page %" PRId64 ":\n", page + 1);
    for (size_t i = 0; i < count; i++) {
        const loan *theirs = corm_related_get(loans, i, &loan_count);
        for (size_t k = 0; k < loan_count; k++, next++) {
            const book *lent = corm_related_get(books, next, NULL);
            printf("%s: %s%s\n", members[i].name, lent->title, theirs[k].returned.has_value ? ", returned" : "");
        }
    }
    corm_related_free(loans);
}

/* Who has a book by an author at home. */
static void print_readers(const char *name) {
    corm_expr *by = CORM_EXISTS(loan, "copy.book.authors", CORM_LIKE(CORM_COL(author, name), CORM_STR(name)));
    corm_expr *lent = CORM_EXISTS(member, "loans", CORM_AND(CORM_IS_NULL(CORM_COL(loan, returned)), by));
    member *members;
    size_t count;
    must(CORM_FETCH(member, db, CORM_QUERY(.order_by = "name", .where = lent), arena, &members, &count, &error));
    for (size_t i = 0; i < count; i++)
        printf("%s reads %s\n", members[i].name, name);
}

static void print_favourites(int64_t least) {
    corm_statement *select = CORM_SELECT_OF(
        loan, .columns = CORM_LIST(CORM_AS(corm_expr_column(loan_model, "copy.book.title"), "title"), CORM_COUNT()),
        .group_by = CORM_LIST(corm_expr_name(NULL, "title")), .having = CORM_GE(CORM_COUNT(), CORM_INT(least)),
        .order_by = CORM_LIST(CORM_DESC(CORM_COUNT()), corm_expr_name(NULL, "title")));
    corm_result *rows;
    corm_status status;
    must(corm_result_open_statement(db, select, CORM_NO_VALUES, &rows, &error));
    while ((status = corm_result_next(rows, &error)) == CORM_ROW)
        printf("%s was lent %" PRId64 " times\n", corm_result_text(rows, 0), corm_result_int64(rows, 1));
    must(status);
    corm_result_close(rows);
    corm_statement_free(select);
}

/* A copy goes from hand to hand, or stays where it is: it cannot be lent twice. */
static void hand_over(int64_t copy_id, int64_t member_id, bool is_back) {
    loan next = {.copy_id = copy_id, .member_id = member_id};
    must(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &error));
    if (is_back) {
        corm_expr *out =
            CORM_AND(CORM_EQ(CORM_COL(loan, copy_id), CORM_INT(copy_id)), CORM_IS_NULL(CORM_COL(loan, returned)));
        must(corm_query_update(db, loan_model, CORM_QUERY(.where = out), CORM_SET({"returned", CORM_INT(9)}), NULL,
                               &error));
    }
    corm_status status = corm_record_insert(db, CORM_OF(loan, &next), CORM_CONFLICT_IGNORE, NULL, &error);
    must(status);
    printf("copy %" PRId64 " %s\n", copy_id, status == CORM_OK ? "was handed over" : "is lent already");
    must(status == CORM_OK ? corm_transaction_commit(db, &error) : corm_transaction_rollback(db, &error));
}

int main(void) {
    static const corm_model_slot models[] = {CORM_SLOT(author), CORM_SLOT(book),   CORM_SLOT(authorship),
                                             CORM_SLOT(copy),   CORM_SLOT(member), CORM_SLOT(loan)};
    arena = corm_arena_create();
    must(corm_model_create_all(models, 6, &error));
    must(corm_database_open(":memory:", CORM_OPEN(.auto_sync = true), &db, &error));
    fill();
    print_page(0);
    print_page(1);
    print_readers("Terry Pratchett");
    print_favourites(2);
    hand_over(1, 3, true);
    hand_over(2, 3, false);
    print_readers("Terry Pratchett");
    must(corm_database_close(db, &error));
    corm_arena_free(arena);
    for (size_t i = 0; i < 6; i++)
        corm_model_free(*models[i].out_model);
    return 0;
}
