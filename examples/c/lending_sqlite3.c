/* lending.c without Cormorant: the same tables, rows and lines of output by the interface of SQLite alone. */
#include <sqlite3.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct author {
    int64_t id;
    const char *name;
} author;
typedef struct book {
    int64_t id;
    const char *title;
    int year;
} book;
typedef struct member {
    int64_t id;
    char *name;
} member;
typedef struct loan {
    int64_t id, copy_id, member_id;
    int64_t returned; /* 0: it is out */
} loan;

static sqlite3 *db;

static void must(int status) {
    if (status == SQLITE_OK || status == SQLITE_ROW || status == SQLITE_DONE)
        return;
    fprintf(stderr, "%s\n", sqlite3_errmsg(db));
    exit(1);
}

static void execute(const char *sql) { must(sqlite3_exec(db, sql, NULL, NULL, NULL)); }

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    must(sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
    return statement;
}

static bool next_row(sqlite3_stmt *statement) {
    int status = sqlite3_step(statement);
    must(status);
    return status == SQLITE_ROW;
}

/* Runs a prepared statement for one set of values, and has it ready for the next. */
static int64_t run(sqlite3_stmt *statement) {
    must(sqlite3_step(statement));
    must(sqlite3_reset(statement));
    must(sqlite3_clear_bindings(statement));
    return sqlite3_last_insert_rowid(db);
}

static void create_tables(void) {
    execute("PRAGMA foreign_keys = ON;"
            "CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
            "CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER NOT NULL CHECK (year > 0));"
            "CREATE TABLE authorship(book_id INTEGER NOT NULL REFERENCES book, author_id INTEGER NOT NULL REFERENCES "
            "author, PRIMARY KEY (book_id, author_id));"
            "CREATE TABLE copy(id INTEGER PRIMARY KEY, book_id INTEGER NOT NULL REFERENCES book);"
            "CREATE TABLE member(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
            "CREATE TABLE loan(id INTEGER PRIMARY KEY, copy_id INTEGER NOT NULL REFERENCES copy, member_id INTEGER NOT "
            "NULL REFERENCES member, returned INTEGER);"
            "CREATE UNIQUE INDEX loan_out ON loan(copy_id) WHERE returned IS NULL;");
}

/* Books go in with their authors and copies: what is there already is not made again, and keys are filled in. */
static void fill(void) {
    author authors[] = {{.name = "Terry Pratchett"}, {.name = "Neil Gaiman"}, {.name = "Ursula K. Le Guin"}};
    book books[] = {
        {.title = "Good Omens", .year = 1990}, {.title = "Mort", .year = 1987}, {.title = "Tehanu", .year = 1990}};
    const struct {
        int first, count;
    } by[] = {{0, 2}, {0, 1}, {2, 1}};
    const char *members[] = {"Ada", "Bob", "Cy"};
    loan loans[] = {{.copy_id = 1, .member_id = 1},
                    {.copy_id = 3, .member_id = 1, .returned = 5},
                    {.copy_id = 2, .member_id = 2},
                    {.copy_id = 5, .member_id = 3},
                    {.copy_id = 3, .member_id = 2}};
    sqlite3_stmt *add_author = prepare("INSERT INTO author(name) VALUES (?)");
    sqlite3_stmt *add_book = prepare("INSERT INTO book(title, year) VALUES (?, ?)");
    sqlite3_stmt *add_authorship = prepare("INSERT INTO authorship(book_id, author_id) VALUES (?, ?)");
    sqlite3_stmt *add_copy = prepare("INSERT INTO copy(book_id) VALUES (?)");
    sqlite3_stmt *add_member = prepare("INSERT INTO member(name) VALUES (?)");
    sqlite3_stmt *add_loan = prepare("INSERT INTO loan(copy_id, member_id, returned) VALUES (?, ?, ?)");
    execute("BEGIN IMMEDIATE");
    for (int i = 0; i < 3; i++) {
        must(sqlite3_bind_text(add_book, 1, books[i].title, -1, SQLITE_STATIC));
        must(sqlite3_bind_int(add_book, 2, books[i].year));
        books[i].id = run(add_book);
        for (author *one = &authors[by[i].first]; one < &authors[by[i].first + by[i].count]; one++) {
            if (one->id == 0) {
                must(sqlite3_bind_text(add_author, 1, one->name, -1, SQLITE_STATIC));
                one->id = run(add_author);
            }
            must(sqlite3_bind_int64(add_authorship, 1, books[i].id));
            must(sqlite3_bind_int64(add_authorship, 2, one->id));
            run(add_authorship);
        }
        for (int k = 0; k < 2; k++) {
            must(sqlite3_bind_int64(add_copy, 1, books[i].id));
            run(add_copy);
        }
    }
    for (int i = 0; i < 3; i++) {
        must(sqlite3_bind_text(add_member, 1, members[i], -1, SQLITE_STATIC));
        run(add_member);
    }
    for (int i = 0; i < 5; i++) {
        must(sqlite3_bind_int64(add_loan, 1, loans[i].copy_id));
        must(sqlite3_bind_int64(add_loan, 2, loans[i].member_id));
        if (loans[i].returned != 0)
            must(sqlite3_bind_int64(add_loan, 3, loans[i].returned));
        run(add_loan);
    }
    execute("COMMIT");
    sqlite3_stmt *all[] = {add_author, add_book, add_authorship, add_copy, add_member, add_loan};
    for (int i = 0; i < 6; i++)
        sqlite3_finalize(all[i]);
}

/* A page of members with their loans and the titles of these, by one more statement. */
static void print_page(int64_t page) {
    member members[2];
    int count = 0;
    sqlite3_stmt *select = prepare("SELECT id, name FROM member ORDER BY name LIMIT 2 OFFSET ?");
    must(sqlite3_bind_int64(select, 1, 2 * page));
    for (; next_row(select); count++) {
        members[count].id = sqlite3_column_int64(select, 0);
        members[count].name = strdup((const char *)sqlite3_column_text(select, 1));
    }
    sqlite3_finalize(select);
    printf("Page %" PRId64 ":\n", page + 1);
    select = prepare("SELECT title, returned IS NOT NULL FROM loan JOIN copy ON copy.id = copy_id "
                     "JOIN book ON book.id = book_id WHERE member_id = ? ORDER BY loan.id");
    for (int i = 0; i < count; i++) {
        must(sqlite3_bind_int64(select, 1, members[i].id));
        while (next_row(select))
            printf("%s: %s%s\n", members[i].name, (const char *)sqlite3_column_text(select, 0),
                   sqlite3_column_int(select, 1) ? ", returned" : "");
        must(sqlite3_reset(select));
        free(members[i].name);
    }
    sqlite3_finalize(select);
}

/* Who has a book by an author at home. */
static void print_readers(const char *author_name) {
    sqlite3_stmt *select = prepare(
        "SELECT name FROM member WHERE EXISTS (SELECT 1 FROM loan JOIN copy ON copy.id = copy_id JOIN authorship "
        "USING (book_id) JOIN author ON author.id = author_id WHERE member_id = member.id AND returned IS NULL "
        "AND author.name LIKE ?) ORDER BY name");
    must(sqlite3_bind_text(select, 1, author_name, -1, SQLITE_STATIC));
    while (next_row(select))
        printf("%s reads %s\n", (const char *)sqlite3_column_text(select, 0), author_name);
    sqlite3_finalize(select);
}

static void print_favourites(int64_t least) {
    sqlite3_stmt *select =
        prepare("SELECT title, count(*) FROM loan JOIN copy ON copy.id = copy_id JOIN book ON book.id = book_id "
                "GROUP BY title HAVING count(*) >= ? ORDER BY count(*) DESC, title");
    must(sqlite3_bind_int64(select, 1, least));
    while (next_row(select))
        printf("%s was lent %" PRId64 " times\n", (const char *)sqlite3_column_text(select, 0),
               (int64_t)sqlite3_column_int64(select, 1));
    sqlite3_finalize(select);
}

/* A copy goes from hand to hand, or stays where it is: it cannot be lent twice. */
static void hand_over(int64_t copy_id, int64_t member_id, bool is_back) {
    execute("BEGIN IMMEDIATE");
    if (is_back) {
        sqlite3_stmt *update = prepare("UPDATE loan SET returned = 9 WHERE copy_id = ? AND returned IS NULL");
        must(sqlite3_bind_int64(update, 1, copy_id));
        run(update);
        sqlite3_finalize(update);
    }
    sqlite3_stmt *insert = prepare("INSERT INTO loan(copy_id, member_id) VALUES (?, ?)");
    must(sqlite3_bind_int64(insert, 1, copy_id));
    must(sqlite3_bind_int64(insert, 2, member_id));
    bool done = sqlite3_step(insert) == SQLITE_DONE;
    printf("copy %" PRId64 " %s\n", copy_id, done ? "was handed over" : "is lent already");
    sqlite3_finalize(insert);
    execute(done ? "COMMIT" : "ROLLBACK");
}

int main(void) {
    must(sqlite3_open(":memory:", &db));
    create_tables();
    fill();
    print_page(0);
    print_page(1);
    print_readers("Terry Pratchett");
    print_favourites(2);
    hand_over(1, 3, true);
    hand_over(2, 3, false);
    print_readers("Terry Pratchett");
    must(sqlite3_close(db));
    return 0;
}
