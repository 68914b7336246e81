/* Questions about playlists and their tracks. */
#include "questions.h"

static corm_expr *genres_of_tracks(void) { return corm_expr_distinct(CORM_CALL("count", column(tracks, "genre_id"))); }

static corm_statement *playlists_with_the_most_genres(void) {
    corm_statement *select = select_from(playlists);
    COLUMNS(select, column(playlists, "name"), genres_of_tracks(), count_all());
    join(select, NULL, "tracks");
    GROUP_BY(select, column(playlists, "id"));
    ORDER_BY(select, descending(genres_of_tracks()), column(playlists, "id"));
    LIMIT(select, 5);
    return select;
}

static corm_statement *playlists_with_metal(void) {
    corm_statement *select = select_from(playlists);
    COLUMNS(select, column(playlists, "id"), column(playlists, "name"));
    WHERE(select, any_related(playlists, "tracks", equal(column(tracks, "genre.name"), text("Metal"))));
    ORDER_BY(select, column(playlists, "id"));
    return select;
}

static corm_statement *hours_of_each_playlist(void) {
    corm_expr *milliseconds = corm_relation_aggregate(playlists, NULL, "tracks", "sum", "milliseconds", NULL);
    corm_expr *hours = rounded(binary(milliseconds, CORM_OP_DIVIDE, real(3600000)), 1);
    corm_statement *select = select_from(playlists);
    COLUMNS(select, column(playlists, "name"), count_related(playlists, "tracks", NULL), corm_expr_as(hours, "hours"));
    ORDER_BY(select, corm_expr_order(name(NULL, "hours"), true, CORM_NULLS_LAST), column(playlists, "id"));
    return select;
}

static corm_statement *tracks_on_the_most_playlists(void) {
    corm_statement *select = select_from(tracks);
    COLUMNS(select, column(tracks, "id"), column(tracks, "name"),
            corm_expr_as(count_related(tracks, "playlists", NULL), "playlists"));
    ORDER_BY(select, descending(name(NULL, "playlists")), column(tracks, "id"));
    LIMIT(select, 10);
    return select;
}

static corm_expr *other_id(void) { return corm_expr_column_of("other", playlists, "id"); }

static corm_statement *tracks_of(corm_expr *playlist_id) {
    corm_statement *select = select_from(playlist_tracks);
    COLUMNS(select, column(playlist_tracks, "track_id"));
    WHERE(select, equal(column(playlist_tracks, "playlist_id"), playlist_id));
    return select;
}

/* The same tracks: none on the one that is not on the other, and none the other way round. */
static corm_statement *twin_playlists(void) {
    corm_statement *only_here = tracks_of(column(playlists, "id"));
    corm_statement_compound(only_here, CORM_EXCEPT, tracks_of(other_id()));
    corm_statement *only_there = tracks_of(other_id());
    corm_statement_compound(only_there, CORM_EXCEPT, tracks_of(column(playlists, "id")));

    corm_statement *select = select_from(playlists);
    COLUMNS(select, column(playlists, "id"), other_id(), column(playlists, "name"));
    corm_statement_join(select, CORM_JOIN_INNER, CORM_SOURCE(.model = playlists, .alias = "other"),
                        binary(column(playlists, "id"), CORM_OP_LESS, other_id()));
    WHERE(select, corm_expr_exists(tracks_of(column(playlists, "id"))), no(corm_expr_exists(only_here)),
          no(corm_expr_exists(only_there)));
    return select;
}

const question playlist_questions[] = {
    QUESTION(playlists_with_the_most_genres), QUESTION(playlists_with_metal), QUESTION(hours_of_each_playlist),
    QUESTION(tracks_on_the_most_playlists),   QUESTION(twin_playlists),       {0},
};
