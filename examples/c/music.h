/* Artists and their albums: the models of the guide's examples, and a few records of each. */
#ifndef MUSIC_H
#define MUSIC_H

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
    corm_optional_int64 artistId;
    corm_optional_double price;
    const char *details;          /* JSON */
    corm_optional_int64 released; /* microseconds since 1970 UTC */
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
    CORM_COLUMN(album, price, CORM_DOUBLE),
    CORM_COLUMN(album, details, CORM_JSON),
    CORM_COLUMN(album, released, CORM_DATETIME),
};
static const corm_model_def album_def = CORM_MODEL(album, "Album", album_columns);

/* Everything that an example holds on to. */
typedef struct app {
    corm_database *db;
    corm_model *artists;
    corm_model *albums;
    corm_arena *arena; /* where texts live that come back */
    corm_error *error; /* the newest, if any */
} app;

/* A relation follows the foreign key that the models declare. */
static bool add_relations(app *a) {
    const corm_relation_def *albums = CORM_RELATION_DEF(.name = "albums", .kind = CORM_TO_MANY, .target = a->albums);
    const corm_relation_def *one = CORM_RELATION_DEF(.name = "artist", .kind = CORM_TO_ONE, .target = a->artists);
    return corm_relation_add(a->artists, albums, &a->error) == CORM_OK &&
           corm_relation_add(a->albums, one, &a->error) == CORM_OK;
}

static bool fill(app *a) {
    artist both[] = {{.name = "Nina"}, {.name = "Otto"}};
    if (corm_record_insert_many(a->db, a->artists, both, 2, CORM_CONFLICT_ABORT, NULL, NULL, &a->error) != CORM_OK)
        return false;
    album three[] = {
        {.title = "First Light",
         .year = 1998,
         .artistId = {true, both[0].id},
         .price = {true, 7.5},
         .details = "{\"tracks\": 9, \"label\": \"Sea\"}"},
        {.title = "50% Off",
         .year = 2004,
         .artistId = {true, both[0].id},
         .price = {true, 12},
         .details = "{\"tracks\": 11}",
         .released = {true, INT64_C(1083369600000000)}},
        {.title = "Lightness", .year = 2011, .artistId = {true, both[1].id}},
    };
    return corm_record_insert_many(a->db, a->albums, three, 3, CORM_CONFLICT_ABORT, NULL, NULL, &a->error) == CORM_OK;
}

/* A database with two artists and three albums. */
static bool open_music(app *a) {
    a->arena = corm_arena_create();
    return corm_database_open(":memory:", NULL, &a->db, &a->error) == CORM_OK &&
           corm_model_create(&artist_def, &a->artists, &a->error) == CORM_OK &&
           corm_model_create(&album_def, &a->albums, &a->error) == CORM_OK && add_relations(a) &&
           corm_model_create_tables(a->db, CORM_MODELS(a->artists, a->albums), &a->error) == CORM_OK && fill(a);
}

/* Prints the rows that a statement gives, each as JSON, and frees it. */
static inline bool print_rows(app *a, corm_statement *statement) {
    corm_result *rows = NULL;
    corm_status status = corm_result_open_statement(a->db, statement, CORM_NO_VALUES, &rows, &a->error);
    while (status >= 0 && (status = corm_result_next(rows, &a->error)) == CORM_ROW) {
        const char *json;
        status = corm_result_row_json(rows, &json, &a->error);
        if (status >= 0)
            printf("%s\n", json);
    }
    corm_result_close(rows);
    corm_statement_free(statement);
    return status == CORM_DONE;
}

/* What main returns. */
static int close_music(app *a, bool done) {
    if (!done)
        printf("%s\n", a->error ? corm_error_message(a->error) : "not as expected");
    corm_error_free(a->error);
    corm_model_free(a->artists);
    corm_model_free(a->albums);
    corm_arena_free(a->arena);
    return corm_database_close(a->db, NULL) == CORM_OK && done ? 0 : 1;
}

#endif
