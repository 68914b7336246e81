/* Rows of several records in a struct of structs; one record that owns its texts; writes by a query. */
#include <cormorant.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

CORM_STRUCT(artist, (int64_t, id, CORM_INT64, .primary_key = true), (const char *, name, CORM_TEXT, .not_null = true));
CORM_STRUCT(album, (int64_t, id, CORM_INT64, .primary_key = true), (const char *, title, CORM_TEXT, .not_null = true),
            (int64_t, year, CORM_INT64),
            (corm_optional_int64, artist_id, CORM_INT64, .references_table = "artist", .relation = "artist",
             .inverse = "albums"));
CORM_DEFINE(artist, "Artist", artist_columns);
CORM_DEFINE(album, "Album", album_columns);

/* An album, the artist where it has one, and how many albums that one has. */
typedef struct credit {
    album record;
    artist *by;
    int64_t of_the_artist;
} credit;
static const corm_column_def credit_columns[] = {
    CORM_NESTED(credit, record, album),
    CORM_NESTED(credit, by, artist),
    CORM_COLUMN(credit, of_the_artist, CORM_INT64),
};
CORM_DEFINE(credit, "Credit", credit_columns);

static corm_database *db;
static corm_error *error;

static void must(corm_status status) {
    if (status >= CORM_OK)
        return;
    fprintf(stderr, "%s\n", error ? corm_error_message(error) : corm_status_name(status));
    exit(1);
}

static void print_credits(void) {
    corm_statement *select = CORM_SELECT_OF(
        album,
        .columns = CORM_LIST(
            CORM_AS(corm_relation_aggregate(artist_model, NULL, "albums", "count", NULL, NULL), "of_the_artist")),
        .order_by = CORM_LIST(CORM_COL(album, year)));
    corm_statement_join_relation(select, CORM_JOIN_LEFT, NULL, "artist", NULL);
    corm_records *records;
    must(corm_query_fetch(db, credit_model, CORM_QUERY(.statement = select), &records, &error));
    const credit *rows = corm_records_data(records);
    for (size_t i = 0; i < corm_records_count(records); i++)
        printf("%s, %" PRId64 ", by %s (%" PRId64 ")\n", rows[i].record.title, rows[i].record.year,
               rows[i].by ? rows[i].by->name : "nobody", rows[i].of_the_artist);
    corm_records_free(records);
    corm_statement_free(select);
}

/* The record owns its texts: there is no arena, and nothing else to free. */
static void print_one(int64_t id) {
    album *found;
    must(CORM_FIRST(album, db, CORM_QUERY(.where = CORM_EQ(CORM_COL(album, id), CORM_INT(id))), &found, &error));
    printf("%" PRId64 ": %s\n", id, found ? found->title : "no album");
    corm_record_free(found);
}

static void change(void) {
    int64_t changed, deleted;
    must(corm_query_update(db, album_model, CORM_QUERY(.where = CORM_LT(CORM_COL(album, year), CORM_INT(2000))),
                           CORM_SET({"year", CORM_INT(2000)}), &changed, &error));
    must(corm_query_delete(db, album_model, CORM_QUERY(.where = CORM_IS_NULL(CORM_COL(album, artist_id))), &deleted,
                           &error));
    printf("%" PRId64 " changed, %" PRId64 " deleted\n", changed, deleted);
}

/* What a program knows of a struct at run time: enough to print any record. */
static void print_fields(const corm_model *model) {
    const corm_model_column *column;
    for (size_t i = 0; (column = corm_model_column_get(model, i)) != NULL; i++)
        printf("%s at %zu, %zu bytes%s\n", column->property, column->offset, column->size,
               column->is_nullable ? ", may be NULL" : "");
}

int main(void) {
    const corm_model_slot models[] = {CORM_SLOT(artist), CORM_SLOT(album), CORM_SLOT(credit)};
    artist nina = {.name = "Nina"};
    album albums[] = {{.title = "Tide", .year = 1999}, {.title = "Ebb", .year = 2022}};
    album lone = {.title = "Adrift", .year = 2010};
    must(corm_model_create_all(models, 3, &error));
    must(corm_database_open(":memory:", CORM_OPEN(.auto_sync = true), &db, &error));
    must(corm_relation_save(db, CORM_OF(artist, &nina), 1,
                            CORM_LEVELS(CORM_LEVEL(.relation = "albums", .records = albums, .count = 2)), NULL,
                            &error));
    must(corm_record_insert(db, CORM_OF(album, &lone), CORM_CONFLICT_ABORT, NULL, &error));
    print_credits();
    print_one(2);
    print_one(9);
    change();
    print_fields(artist_model);
    must(corm_database_close(db, &error));
    for (size_t i = 0; i < 3; i++)
        corm_model_free(*models[i].out_model);
    return 0;
}
