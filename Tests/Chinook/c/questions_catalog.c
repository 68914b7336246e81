/* Questions about artists, albums and tracks. */
#include "questions.h"

static corm_statement *artists_without_albums(void) {
    corm_statement *select = select_from(artists);
    COLUMNS(select, column(artists, "name"));
    WHERE(select, no(any_related(artists, "albums", NULL)));
    ORDER_BY(select, column(artists, "name"));
    return select;
}

static corm_statement *artists_with_a_live_album(void) {
    corm_statement *select = select_from(artists);
    COLUMNS(select, column(artists, "name"), count_related(artists, "albums", NULL));
    WHERE(select, any_related(artists, "albums", binary(column(albums, "title"), CORM_OP_CONTAINS, text("live"))));
    ORDER_BY(select, column(artists, "name"));
    return select;
}

static corm_statement *led_zeppelin_rock(void) {
    corm_statement *select = select_from(tracks);
    COLUMNS(select, column(tracks, "name"), column(tracks, "album.title"), column(tracks, "album.artist.name"));
    WHERE(select, equal(column(tracks, "album.artist.name"), text("Led Zeppelin")),
          equal(column(tracks, "genre.name"), text("Rock")));
    ORDER_BY(select, column(tracks, "album.title"), column(tracks, "id"));
    return select;
}

static corm_expr *composers(void) { return corm_expr_distinct(CORM_CALL("count", column(tracks, "composer"))); }

static corm_statement *albums_of_many_composers(void) {
    corm_statement *select = select_from(albums);
    COLUMNS(select, column(albums, "title"), composers(), count_all());
    join(select, NULL, "tracks");
    GROUP_BY(select, column(albums, "id"));
    HAVING(select, binary(composers(), CORM_OP_GREATER_EQUAL, integer(5)));
    ORDER_BY(select, descending(composers()), column(albums, "title"));
    return select;
}

static corm_statement *tracks_long_for_their_genre(void) {
    corm_statement *averages = select_from(tracks);
    COLUMNS(averages, corm_expr_as(column(tracks, "genre_id"), "genre_id"),
            corm_expr_as(CORM_CALL("avg", column(tracks, "milliseconds")), "average"));
    GROUP_BY(averages, column(tracks, "genre_id"));

    corm_statement *select = select_from(tracks);
    COLUMNS(select, column(tracks, "name"), column(tracks, "genre.name"), column(tracks, "milliseconds"));
    corm_statement_join(select, CORM_JOIN_INNER, CORM_SOURCE(.select = averages, .alias = "averages"),
                        equal(name("averages", "genre_id"), column(tracks, "genre_id")));
    WHERE(select, binary(column(tracks, "milliseconds"), CORM_OP_GREATER,
                         binary(name("averages", "average"), CORM_OP_MULTIPLY, integer(2))));
    ORDER_BY(select, column(tracks, "id"));
    return select;
}

static corm_statement *longest_tracks_of_each_genre(void) {
    corm_expr *place = OVER(corm_expr_call("row_number", NONE), CORM_EXPRS(column(tracks, "genre_id")),
                            CORM_EXPRS(descending(column(tracks, "milliseconds")), column(tracks, "id")));
    corm_statement *placed = select_from(tracks);
    COLUMNS(placed, corm_expr_as(column(tracks, "genre.name"), "genre"), corm_expr_as(column(tracks, "name"), "track"),
            corm_expr_as(column(tracks, "milliseconds"), "length"), corm_expr_as(place, "place"));

    corm_statement *select = select_from_query(placed, "placed");
    COLUMNS(select, name("placed", "genre"), name("placed", "track"), name("placed", "length"));
    WHERE(select, binary(name("placed", "place"), CORM_OP_LESS_EQUAL, integer(3)));
    ORDER_BY(select, name("placed", "genre"), name("placed", "place"));
    return select;
}

/* Of the places from 1 to size, that in the middle, or the one or the other of the two in the middle. */
static corm_expr *middle(int64_t more) {
    return binary(binary(name("ranked", "size"), CORM_OP_ADD, integer(more)), CORM_OP_DIVIDE, integer(2));
}

static corm_statement *median_length_of_each_genre(void) {
    corm_expr *size = OVER(count_all(), CORM_EXPRS(column(tracks, "genre_id")), NONE);
    corm_expr *place = OVER(corm_expr_call("row_number", NONE), CORM_EXPRS(column(tracks, "genre_id")),
                            CORM_EXPRS(column(tracks, "milliseconds")));
    corm_statement *ranked = select_from(tracks);
    COLUMNS(ranked, corm_expr_as(column(tracks, "genre_id"), "genre_id"),
            corm_expr_as(column(tracks, "milliseconds"), "length"), corm_expr_as(size, "size"),
            corm_expr_as(place, "place"));

    corm_statement *select = select_from(genres);
    COLUMNS(select, column(genres, "name"), CORM_CALL("avg", name("ranked", "length")));
    corm_statement_with(select, "ranked", NULL, ranked);
    corm_statement_join(select, CORM_JOIN_INNER, CORM_SOURCE(.name = "ranked"),
                        equal(name("ranked", "genre_id"), column(genres, "id")));
    WHERE(select, corm_expr_between(name("ranked", "place"), middle(1), middle(2)));
    GROUP_BY(select, column(genres, "id"));
    ORDER_BY(select, column(genres, "name"));
    return select;
}

static corm_statement *quarters_by_length(void) {
    corm_expr *quarter = OVER(CORM_CALL("ntile", integer(4)), NONE, CORM_EXPRS(column(tracks, "milliseconds")));
    corm_statement *quarters = select_from(tracks);
    COLUMNS(quarters, corm_expr_as(column(tracks, "milliseconds"), "length"), corm_expr_as(quarter, "quarter"));

    corm_statement *select = select_from_common("quarters", quarters);
    COLUMNS(select, name("quarters", "quarter"), count_all(), CORM_CALL("min", name("quarters", "length")),
            CORM_CALL("max", name("quarters", "length")));
    GROUP_BY(select, name("quarters", "quarter"));
    ORDER_BY(select, name("quarters", "quarter"));
    return select;
}

static corm_statement *tracks_by_kind_of_length(void) {
    corm_expr *const limits[] = {
        binary(column(tracks, "milliseconds"), CORM_OP_LESS, integer(180000)),
        binary(column(tracks, "milliseconds"), CORM_OP_LESS_EQUAL, integer(600000)),
        binary(column(tracks, "milliseconds"), CORM_OP_LESS_EQUAL, integer(1800000)),
    };
    corm_expr *const kinds[] = {text("short"), text("medium"), text("long")};
    corm_statement *select = select_from(tracks);
    COLUMNS(select, corm_expr_as(corm_expr_case(NULL, limits, kinds, 3, text("video")), "kind"), count_all());
    GROUP_BY(select, name(NULL, "kind"));
    ORDER_BY(select, CORM_CALL("min", column(tracks, "milliseconds")));
    return select;
}

static corm_statement *names_with_a_percent_sign(void) {
    corm_statement *select = select_from(tracks);
    COLUMNS(select, column(tracks, "id"), column(tracks, "name"));
    WHERE(select, binary(column(tracks, "name"), CORM_OP_CONTAINS, text("%")));
    ORDER_BY(select, column(tracks, "id"));
    return select;
}

static corm_statement *share_of_each_media_type(void) {
    corm_statement *all = select_from(tracks);
    COLUMNS(all, count_all());
    corm_expr *share = binary(binary(count_all(), CORM_OP_MULTIPLY, real(100)), CORM_OP_DIVIDE, corm_expr_select(all));

    corm_statement *select = select_from(media_types);
    COLUMNS(select, column(media_types, "name"), count_all(), rounded(share, 2));
    corm_statement_join(select, CORM_JOIN_INNER, CORM_SOURCE(.model = tracks),
                        equal(column(tracks, "media_type_id"), column(media_types, "id")));
    GROUP_BY(select, column(media_types, "id"));
    ORDER_BY(select, descending(count_all()), column(media_types, "name"));
    return select;
}

corm_statement *tracks_page_by_page(void) {
    corm_statement *select = select_from(tracks);
    ORDER_BY(select, corm_expr_order(column(tracks, "composer"), false, CORM_NULLS_LAST),
             descending(column(tracks, "milliseconds")), column(tracks, "id"));
    LIMIT(select, 500);
    return select;
}

const question catalog_questions[] = {
    QUESTION(artists_without_albums),
    QUESTION(artists_with_a_live_album),
    QUESTION(led_zeppelin_rock),
    QUESTION(albums_of_many_composers),
    QUESTION(tracks_long_for_their_genre),
    QUESTION(longest_tracks_of_each_genre),
    QUESTION(median_length_of_each_genre),
    QUESTION(quarters_by_length),
    QUESTION(tracks_by_kind_of_length),
    QUESTION(names_with_a_percent_sign),
    QUESTION(share_of_each_media_type),
    QUESTION(tracks_page_by_page),
    {0},
};
