/* Artists and their albums: conditions, queries and relations without SQL text. */
#include <cormorant.h>
#include <inttypes.h>
#include <stdio.h>

typedef struct artist {
    int64_t id;
    const char *name;
} artist;

typedef struct album {
    int64_t id;
    const char *title;
    int64_t year;
    int64_t artistId;
} album;

static const corm_column_def artist_columns[] = {
    CORM_COLUMN(artist, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(artist, name, CORM_TEXT, .not_null = true, .unique = true),
};
static const corm_model_def artist_def = CORM_MODEL(artist, "Artist", artist_columns);

static const corm_column_def album_columns[] = {
    CORM_COLUMN(album, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(album, title, CORM_TEXT, .not_null = true),
    CORM_COLUMN(album, year, CORM_INT64),
    CORM_COLUMN(album, artistId, CORM_INT64, .references_table = "artist", .on_delete = CORM_ACTION_CASCADE),
};
static const corm_model_def album_def = CORM_MODEL(album, "Album", album_columns);

typedef struct app {
    corm_database *db;
    corm_model *artists;
    corm_model *albums;
    corm_arena *arena;
    corm_error *error;
} app;

static bool open_and_relate(app *a) {
    if (corm_database_open(":memory:", NULL, &a->db, &a->error) != CORM_OK ||
        corm_model_create(&artist_def, &a->artists, &a->error) != CORM_OK ||
        corm_model_create(&album_def, &a->albums, &a->error) != CORM_OK)
        return false;
    corm_relation_def albums = {
        .struct_size = sizeof albums, .name = "albums", .kind = CORM_TO_MANY, .target = a->albums};
    corm_relation_def one_artist = {
        .struct_size = sizeof one_artist, .name = "artist", .kind = CORM_TO_ONE, .target = a->artists};
    return corm_relation_add(a->artists, &albums, &a->error) == CORM_OK &&
           corm_relation_add(a->albums, &one_artist, &a->error) == CORM_OK &&
           corm_model_create_tables(a->db, (const corm_model *[]){a->artists, a->albums}, 2, &a->error) == CORM_OK;
}

/* An artist and the albums go in together: keys and foreign keys are filled in. */
static bool save_graphs(app *a) {
    artist nina = {.name = "Nina"}, otto = {.name = "Otto"};
    album ninas[] = {{.title = "First Light", .year = 1998}, {.title = "50% Off", .year = 2004}};
    album ottos[] = {{.title = "Lightness", .year = 2011}};
    return corm_relation_save(a->db, a->artists, "albums", &nina, ninas, 2, CORM_REMOVED_KEEP, NULL, &a->error) ==
               CORM_OK &&
           corm_relation_save(a->db, a->artists, "albums", &otto, ottos, 1, CORM_REMOVED_KEEP, NULL, &a->error) ==
               CORM_OK;
}

/* Conditions nest like any other call; the statement takes its parts over. */
static bool find_albums(app *a) {
    corm_statement *select = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_statement_add(select, CORM_CLAUSE_WHERE,
                       CORM_ANY(CORM_GE(a->albums, "year", corm_value_int64(2010)),
                                corm_expr_binary(CORM_OP_CONTAINS, corm_expr_column(a->albums, "title"),
                                                 corm_expr_value(corm_value_text("50%"))))); /* % is no wildcard here */
    corm_statement_add(select, CORM_CLAUSE_ORDER_BY, corm_expr_order(corm_expr_column(a->albums, "year"), true, 0));

    const char *sql;
    corm_records *records = NULL;
    corm_query query = {.struct_size = sizeof query, .statement = select};
    bool done = corm_statement_sql(select, a->arena, &sql, NULL, NULL, &a->error) == CORM_OK &&
                corm_query_fetch(a->db, a->albums, &query, &records, &a->error) == CORM_OK;
    if (done) {
        const album *found = corm_records_data(records);
        printf("%s\n", sql);
        for (size_t i = 0; i < corm_records_count(records); i++)
            printf("  %" PRId64 " %s\n", found[i].year, found[i].title);
    }
    corm_records_free(records);
    corm_statement_free(select);
    return done;
}

/* Columns of one's own, and a condition and an aggregate along relations. */
static bool count_albums(app *a) {
    corm_statement *select = corm_statement_create(CORM_SELECT, a->artists, NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(a->artists, "name"));
    corm_statement_add(
        select, CORM_CLAUSE_COLUMN,
        corm_expr_as(corm_relation_aggregate(a->artists, NULL, "albums", "count", NULL, NULL), "albums"));
    corm_statement_add(
        select, CORM_CLAUSE_WHERE,
        corm_relation_exists(a->artists, NULL, "albums", CORM_LT(a->albums, "year", corm_value_int64(2000))));

    corm_result *rows = NULL;
    corm_status status = corm_statement_open(a->db, select, CORM_NO_VALUES, &rows, &a->error);
    while (status >= 0 && (status = corm_result_next(rows, &a->error)) == CORM_ROW) {
        const char *json;
        status = corm_result_row_json(rows, &json, &a->error);
        if (status >= 0)
            printf("  %s\n", json);
    }
    corm_result_close(rows);
    corm_statement_free(select);
    return status == CORM_DONE;
}

/* The related records of many, in one statement. */
static bool load_albums(app *a) {
    corm_records *records = NULL;
    corm_related *related = NULL;
    const corm_load_options newest = {
        .struct_size = sizeof newest, .order_by = (const char *const[]){"-year"}, .order_by_count = 1, .limit = 1};
    if (corm_query_fetch(a->db, a->artists, NULL, &records, &a->error) != CORM_OK)
        return false;
    const artist *artists = corm_records_data(records);
    size_t count = corm_records_count(records);
    bool done =
        corm_relation_load(a->db, a->artists, "albums", artists, count, &newest, &related, &a->error) == CORM_OK;
    for (size_t i = 0; done && i < count; i++) {
        const album *albums = corm_related_data(related, i);
        for (size_t k = 0; k < corm_related_count(related, i); k++)
            printf("  the newest of %s: %s\n", artists[i].name, albums[k].title);
    }
    corm_related_free(related);
    corm_records_free(records);
    return done;
}

/* UPDATE by condition, along a relation. */
static bool change_albums(app *a) {
    const char *const to_artist[] = {"artist"};
    int64_t changed = 0;
    corm_statement *update = corm_statement_create(CORM_UPDATE, a->albums, NULL);
    corm_statement_set(
        update, "year",
        corm_expr_binary(CORM_OP_ADD, corm_expr_column(a->albums, "year"), corm_expr_value(corm_value_int64(1))));
    corm_statement_add(update, CORM_CLAUSE_WHERE,
                       corm_expr_binary(CORM_OP_EQUAL, corm_relation_column(a->albums, NULL, to_artist, 1, "name"),
                                        corm_expr_value(corm_value_text("Nina"))));
    corm_status status = corm_statement_execute(a->db, update, CORM_NO_VALUES, &changed, &a->error);
    if (status == CORM_OK)
        printf("%" PRId64 " albums changed\n", changed);
    corm_statement_free(update);
    return status == CORM_OK;
}

int main(void) {
    app a = {.arena = corm_arena_create()};
    bool done = open_and_relate(&a) && save_graphs(&a) && find_albums(&a) && count_albums(&a) && load_albums(&a) &&
                change_albums(&a);
    if (!done)
        printf("%s\n", a.error ? corm_error_message(a.error) : "not found");
    corm_error_free(a.error);
    corm_model_free(a.artists);
    corm_model_free(a.albums);
    corm_arena_free(a.arena);
    return corm_database_close(a.db, NULL) == CORM_OK && done ? 0 : 1;
}
