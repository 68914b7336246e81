/* A lending library of six models and their relations. lending_sqlite3.c is the same program without Cormorant. */
#include <cormorant.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct author {
    int64_t id;
    const char *name;
} author;
typedef struct book {
    int64_t id;
    const char *title;
    int32_t year;
} book;
typedef struct authorship {
    int64_t book_id, author_id;
} authorship;
typedef struct copy {
    int64_t id, book_id;
} copy;
typedef struct member {
    int64_t id;
    const char *name;
} member;
typedef struct loan {
    int64_t id, copy_id, member_id;
    corm_optional_int64 returned;
} loan;

static const corm_column_def author_columns[] = {
    CORM_COLUMN(author, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(author, name, CORM_TEXT, .not_null = true, .unique = true),
};
static const corm_column_def book_columns[] = {
    CORM_COLUMN(book, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(book, title, CORM_TEXT, .not_null = true),
    CORM_COLUMN(book, year, CORM_INT32, .check_sql = "year > 0"),
};
static const corm_column_def authorship_columns[] = {
    CORM_COLUMN(authorship, book_id, CORM_INT64, .primary_key = true, .references_table = "book", .across = "authors"),
    CORM_COLUMN(authorship, author_id, CORM_INT64, .primary_key = true, .references_table = "author",
                .across = "books"),
};
static const corm_column_def copy_columns[] = {
    CORM_COLUMN(copy, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(copy, book_id, CORM_INT64, .references_table = "book", .relation = "book", .inverse = "copies"),
};
static const corm_column_def member_columns[] = {
    CORM_COLUMN(member, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(member, name, CORM_TEXT, .not_null = true),
};
static const corm_column_def loan_columns[] = {
    CORM_COLUMN(loan, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(loan, copy_id, CORM_INT64, .references_table = "copy", .relation = "copy", .inverse = "loans"),
    CORM_COLUMN(loan, member_id, CORM_INT64, .references_table = "member", .relation = "member", .inverse = "loans"),
    CORM_COLUMN(loan, returned, CORM_INT64),
};
static const corm_key_def loan_keys[] = {
    {.kind = CORM_KEY_UNIQUE, .columns = "copy_id", .where_sql = "returned IS NULL"},
};
CORM_DEFINE(author, "author", author_columns);
CORM_DEFINE(book, "book", book_columns);
CORM_DEFINE(authorship, "authorship", authorship_columns);
CORM_DEFINE(copy, "copy", copy_columns);
CORM_DEFINE(member, "member", member_columns);
CORM_DEFINE(loan, "loan", loan_columns, .keys = loan_keys, .key_count = 1);

static corm_database *db;
static corm_arena *arena;
static corm_error *error;

static void must(corm_status status) {
    if (status >= CORM_OK)
        return;
    fprintf(stderr, "%s\n", error ? corm_error_message(error) : corm_status_name(status));
    exit(1);
}

/* Books go in with their authors and copies: what is there already is not made again, and keys are filled in. */
static void fill(void) {
    author authors[] = {{.name = "Terry Pratchett"}, {.name = "Neil Gaiman"}, {.name = "Ursula K. Le Guin"}};
    book books[] = {
        {.title = "Good Omens", .year = 1990}, {.title = "Mort", .year = 1987}, {.title = "Tehanu", .year = 1990}};
    const struct {
        int first, count;
    } by[] = {{0, 2}, {0, 1}, {2, 1}};
    member members[] = {{.name = "Ada"}, {.name = "Bob"}, {.name = "Cy"}};
    loan loans[] = {{.copy_id = 1, .member_id = 1},
                    {.copy_id = 3, .member_id = 1, .returned = {true, 5}},
                    {.copy_id = 2, .member_id = 2},
                    {.copy_id = 5, .member_id = 3},
                    {.copy_id = 3, .member_id = 2}};
    for (int i = 0; i < 3; i++) {
        copy copies[2] = {{0}};
        must(corm_relation_save(db, book_model, "authors", &books[i], &authors[by[i].first], by[i].count,
                                CORM_REMOVED_KEEP, arena, &error));
        must(corm_relation_save(db, book_model, "copies", &books[i], copies, 2, CORM_REMOVED_KEEP, arena, &error));
    }
    must(corm_record_insert_many(db, CORM_OF(member, members), 3, CORM_CONFLICT_ABORT, arena, NULL, &error));
    must(corm_record_insert_many(db, CORM_OF(loan, loans), 5, CORM_CONFLICT_ABORT, arena, NULL, &error));
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
static void print_readers(const char *author_name) {
    corm_expr *by = corm_relation_exists(loan_model, NULL, "copy.book.authors",
                                         CORM_LIKE(CORM_COL(author, name), CORM_STR(author_name)));
    corm_expr *lent =
        corm_relation_exists(member_model, NULL, "loans", CORM_AND(CORM_IS_NULL(CORM_COL(loan, returned)), by));
    member *members;
    size_t count;
    must(CORM_FETCH(member, db, CORM_QUERY(.where = lent, .order_by = "name"), arena, &members, &count, &error));
    for (size_t i = 0; i < count; i++)
        printf("%s reads %s\n", members[i].name, author_name);
}

static void print_favourites(int64_t least) {
    corm_statement *select = CORM_SELECT_OF(
        loan, .columns = CORM_LIST(CORM_AS(corm_expr_column(loan_model, "copy.book.title"), "title"), CORM_COUNT()),
        .group_by = CORM_LIST(corm_expr_name(NULL, "title")), .having = CORM_GE(CORM_COUNT(), CORM_INT(least)),
        .order_by = CORM_LIST(CORM_DESC(CORM_COUNT()), corm_expr_name(NULL, "title")));
    corm_result *rows;
    corm_status status;
    must(corm_result_open_statement(db, select, NULL, 0, &rows, &error));
    while ((status = corm_result_next(rows, &error)) == CORM_ROW)
        printf("%s was lent %" PRId64 " times\n", corm_result_text(rows, 0), corm_result_int64(rows, 1));
    must(status);
    corm_result_close(rows);
    corm_statement_free(select);
}

/* A copy goes from hand to hand, or stays where it is: it cannot be lent twice. */
static void hand_over(int64_t copy_id, int64_t member_id, bool is_back) {
    loan next = {.copy_id = copy_id, .member_id = member_id}, last;
    must(corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &error));
    if (is_back) {
        corm_expr *out =
            CORM_AND(CORM_EQ(CORM_COL(loan, copy_id), CORM_INT(copy_id)), CORM_IS_NULL(CORM_COL(loan, returned)));
        must(corm_query_first(db, loan_model, CORM_QUERY(.where = out), &last, arena, &error));
        last.returned = (corm_optional_int64){true, 9};
        must(corm_record_update(db, CORM_OF(loan, &last), "returned", arena, &error));
    }
    corm_status status = corm_record_insert(db, CORM_OF(loan, &next), CORM_CONFLICT_ABORT, arena, &error);
    printf("copy %" PRId64 " %s\n", copy_id, status == CORM_OK ? "was handed over" : "is lent already");
    must(status == CORM_OK ? corm_transaction_commit(db, &error) : corm_transaction_rollback(db, NULL));
    corm_error_free(error);
    error = NULL;
}

int main(void) {
    const corm_model_slot models[] = {CORM_SLOT(author), CORM_SLOT(book),   CORM_SLOT(authorship),
                                      CORM_SLOT(copy),   CORM_SLOT(member), CORM_SLOT(loan)};
    arena = corm_arena_create();
    must(corm_database_open(":memory:", NULL, &db, &error));
    must(corm_model_create_all(models, 6, &error));
    must(corm_model_create_tables(
        db, CORM_MODELS(author_model, book_model, authorship_model, copy_model, member_model, loan_model), &error));
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
