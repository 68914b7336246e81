/* The right side of docs/c/coming-from-sqlite3.md: what is written with Cormorant. Its other side is coming_from_left.c. */
#include <cormorant.h>
#include <stdio.h>
#include <string.h>

typedef struct artist {
    int64_t id;
    const char *name;
} artist;
typedef struct album {
    int64_t id;
    const char *title;
    int64_t year;
    corm_optional_int64 artistId;
    corm_optional_double price;
    const char *label;
} album;

static const corm_column_def artist_columns[] = {
    CORM_COLUMN(artist, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(artist, name, CORM_TEXT, .not_null = true, .unique = true),
};
static const corm_model_def artist_def = CORM_MODEL(artist, "Artist", artist_columns);

static const corm_column_def album_columns[] = {
    CORM_COLUMN(album, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(album, title, CORM_TEXT, .not_null = true),
    CORM_COLUMN(album, year, CORM_INT64, .check_sql = "year > 0"),
    CORM_COLUMN(album, artistId, CORM_INT64, .references_table = "artist"),
    CORM_COLUMN(album, price, CORM_DOUBLE),
    CORM_COLUMN(album, label, CORM_TEXT),
};
static const corm_model_def album_def = CORM_MODEL(album, "Album", album_columns);

static corm_database *db;
static corm_model *artists, *albums;
static corm_arena *arena;
static corm_error *error;

static bool open_file(void) { return corm_database_open(":memory:", NULL, &db, &error) == CORM_OK; }

static bool define(void) {
    if (corm_model_create(&artist_def, &artists, &error) != CORM_OK ||
        corm_model_create(&album_def, &albums, &error) != CORM_OK)
        return false;
    const corm_relation_def *one = CORM_RELATION_DEF(.name = "artist", .kind = CORM_TO_ONE, .target = artists);
    const corm_relation_def *many = CORM_RELATION_DEF(.name = "albums", .kind = CORM_TO_MANY, .target = albums);
    return corm_relation_add(albums, one, &error) == CORM_OK && corm_relation_add(artists, many, &error) == CORM_OK &&
           corm_model_create_tables(db, CORM_MODELS(artists, albums), &error) == CORM_OK;
}

static bool insert(void) {
    artist nina = {.name = "Nina"};
    return corm_record_insert(db, artists, &nina, CORM_CONFLICT_ABORT, NULL, &error) == CORM_OK && nina.id == 1;
}

static bool insert_many(void) {
    album two[] = {{.title = "First Light", .year = 1998, .artistId = {true, 1}},
                   {.title = "Half Light", .year = 1999, .artistId = {true, 1}}};
    return corm_record_insert_many(db, albums, two, 2, CORM_CONFLICT_ABORT, NULL, NULL, &error) == CORM_OK;
}

static bool find(void) {
    album found;
    return corm_record_find(db, albums, CORM_VALUES(corm_value_int64(1)), &found, arena, &error) == CORM_OK &&
           strcmp(found.title, "First Light") == 0;
}

/* How many records a query gives; the statement is freed. */
static int fetched(const corm_model *model, corm_statement *select, const char *order) {
    corm_query query = CORM_QUERY_INIT;
    corm_records *records = NULL;
    query.statement = select;
    query.order_by = order;
    if (select == NULL) {
        query.limit = 10;
        query.offset = 0;
    }
    corm_query_fetch(db, model, &query, &records, &error);
    int count = (int)corm_records_count(records);
    corm_records_free(records);
    corm_statement_free(select);
    return count;
}

static corm_statement *where(const corm_model *model, corm_expr *condition) {
    corm_statement *select = corm_statement_create(CORM_SELECT, model, NULL);
    corm_statement_add(select, CORM_CLAUSE_WHERE, condition);
    return select;
}

static bool select_records(void) {
    const corm_value years[] = {corm_value_int64(1998), corm_value_int64(2004)};
    return fetched(albums, where(albums, CORM_GE(corm_expr_column(albums, "year"), CORM_INT(1998))), NULL) == 2 &&
           fetched(albums, NULL, "-year") == 2 && fetched(albums, NULL, "id") == 2 &&
           fetched(albums, where(albums, CORM_HAS_PREFIX(corm_expr_column(albums, "title"), CORM_STR("Half"))), NULL) ==
               1 &&
           fetched(albums, where(albums, CORM_IS_NULL(corm_expr_column(albums, "price"))), NULL) == 2 &&
           fetched(albums, where(albums, corm_expr_in(corm_expr_column(albums, "year"), years, 2)), NULL) == 1 &&
           fetched(albums, where(albums, CORM_EQ(corm_expr_column(albums, "artist.name"), CORM_STR("Nina"))), NULL) ==
               2 &&
           fetched(artists, where(artists, corm_relation_exists(artists, NULL, "albums", NULL)), NULL) == 1;
}

static bool count(void) {
    int64_t number = 0;
    corm_statement *groups = corm_statement_create(CORM_SELECT, albums, NULL);
    corm_statement_add(groups, CORM_CLAUSE_COLUMN, corm_expr_column(albums, "artistId"));
    corm_statement_add(groups, CORM_CLAUSE_COLUMN, CORM_COUNT());
    corm_statement_add(groups, CORM_CLAUSE_GROUP_BY, corm_expr_column(albums, "artistId"));
    corm_result *rows = NULL;
    bool done = corm_query_count(db, albums, NULL, &number, &error) == CORM_OK && number == 2 &&
                corm_result_open_statement(db, groups, CORM_NO_VALUES, &rows, &error) == CORM_OK &&
                corm_result_next(rows, &error) == CORM_ROW;
    corm_result_close(rows);
    corm_statement_free(groups);
    return done;
}

static bool stream(void) {
    corm_cursor *cursor = NULL;
    album one;
    int count = 0;
    corm_status status = corm_cursor_open(db, albums, NULL, &cursor, &error);
    while (status >= 0 && (status = corm_cursor_next(cursor, &one, &error)) == CORM_ROW)
        count += 1;
    corm_cursor_close(cursor);
    return status == CORM_DONE && count == 2;
}

static bool load(void) {
    corm_records *records = NULL;
    corm_related *related = NULL;
    bool done = corm_query_fetch(db, artists, NULL, &records, &error) == CORM_OK &&
                corm_relation_load(db, artists, "albums", corm_records_data(records), corm_records_count(records), NULL,
                                   &related, &error) == CORM_OK;
    size_t count = 0;
    corm_related_get(related, 0, &count);
    done = done && count == 2;
    corm_related_free(related);
    corm_records_free(records);
    return done;
}

static bool raw(void) {
    corm_result *rows = NULL;
    corm_value title;
    bool done =
        corm_result_open(db, "SELECT title FROM album WHERE year < :year",
                         CORM_VALUES(corm_value_named("year", corm_value_int64(1999))), &rows, &error) == CORM_OK &&
        corm_result_next(rows, &error) == CORM_ROW && corm_result_get_named(rows, "title", &title, &error) == CORM_OK;
    done = done && printf("%.*s\n", (int)title.as.bytes.size, (const char *)title.as.bytes.data) > 0;
    corm_result_close(rows);
    return done;
}

/* Of any SQL: its columns, and their values by type. */
static bool read_values(void) {
    corm_result *rows = NULL;
    bool done = corm_result_open(db, "SELECT title, year, ? FROM album ORDER BY id",
                                 CORM_VALUES(corm_value_blob("\1\2", 2)), &rows, &error) == CORM_OK &&
                corm_result_column_count(rows) == 3 && strcmp(corm_result_column_name(rows, 1), "year") == 0 &&
                corm_result_next(rows, &error) == CORM_ROW && strcmp(corm_result_text(rows, 0), "First Light") == 0 &&
                corm_result_int64(rows, 1) == 1998 && corm_result_blob(rows, 2).size == 2;
    corm_result_close(rows);
    return done;
}

static bool change(void) {
    int64_t changed = 0;
    artist nina = {.id = 1, .name = "Nina S."}, again = {.name = "Nina S."};
    corm_statement *update = corm_statement_create(CORM_UPDATE, albums, NULL);
    corm_statement_set(update, "year", CORM_ADD(corm_expr_column(albums, "year"), CORM_INT(1)));
    corm_statement_add(update, CORM_CLAUSE_WHERE, CORM_EQ(corm_expr_column(albums, "title"), CORM_STR("Half Light")));
    corm_statement *delete = corm_statement_create(CORM_DELETE, albums, NULL);
    corm_statement_add(delete, CORM_CLAUSE_WHERE, CORM_GT(corm_expr_column(albums, "year"), CORM_INT(2050)));
    bool done = corm_statement_execute(db, update, CORM_NO_VALUES, &changed, &error) == CORM_OK && changed == 1 &&
                corm_statement_execute(db, delete, CORM_NO_VALUES, NULL, &error) == CORM_OK &&
                corm_record_save(db, artists, &nina, NULL, &error) == CORM_OK &&
                corm_record_insert(db, artists, &again, CORM_CONFLICT_IGNORE, NULL, &error) == CORM_IGNORED;
    corm_statement_free(delete);
    corm_statement_free(update);
    return done;
}

static bool transact(void) {
    return corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &error) == CORM_OK &&
           corm_transaction_begin(db, CORM_TRANSACTION_IMMEDIATE, &error) == CORM_OK &&
           corm_transaction_rollback(db, &error) == CORM_OK && corm_transaction_commit(db, &error) == CORM_OK;
}

static bool fail(void) {
    artist one = {.name = "Nina S."};
    corm_error *refused = NULL;
    bool done = corm_record_insert(db, artists, &one, CORM_CONFLICT_ABORT, NULL, &refused) == CORM_E_UNIQUE &&
                corm_error_message(refused) != NULL && strcmp(corm_error_info_get(refused)->columns[0], "name") == 0;
    corm_error_free(refused);
    return done;
}

static bool migrate(void) {
    return corm_migration_sync(db, CORM_MODELS(artists, albums), NULL, NULL, &error) == CORM_OK;
}

static void show(corm_event *event, corm_error *problem, void *context) {
    (void)problem;
    *(int *)context += (int)corm_event_info_get(event)->change_count;
}

static bool watch(void) {
    int changes = 0;
    corm_observe_options options = CORM_OBSERVE_OPTIONS_INIT;
    corm_observer *observer = NULL;
    options.model = albums;
    options.callback = show;
    options.context = &changes;
    bool done = corm_observer_open(db, &options, &observer, &error) == CORM_OK &&
                corm_database_execute(db, "UPDATE album SET price = 9", CORM_NO_VALUES, NULL, &error) == CORM_OK;
    corm_observer_close(observer);
    return done && changes == 2;
}

static bool back_up(void) {
    remove("coming_from.db");
    bool done = corm_database_backup(db, "coming_from.db", NULL, NULL, NULL, &error) == CORM_OK;
    return remove("coming_from.db") == 0 && done;
}

int main(void) {
    arena = corm_arena_create();
    bool done = open_file() && define() && insert() && insert_many() && find() && select_records() && count() &&
                stream() && load() && raw() && read_values() && change() && transact() && fail() && migrate() &&
                watch() && back_up();
    corm_database_interrupt(db);
    if (!done)
        fprintf(stderr, "%s\n", error ? corm_error_message(error) : "not as expected");
    corm_error_free(error);
    corm_model_free(albums);
    corm_model_free(artists);
    corm_arena_free(arena);
    return corm_database_close(db, NULL) == CORM_OK && done ? 0 : 1;
}
