/* Relations: conditions along them, loading, saving together. */
#include "music.h"

/* A condition and an aggregate along relations. */
static bool ask(app *a) {
    corm_statement *select = corm_statement_create(CORM_SELECT, a->artists, NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(a->artists, "name"));
    corm_statement_add(
        select, CORM_CLAUSE_COLUMN,
        corm_expr_as(corm_relation_aggregate(a->artists, NULL, "albums", "count", NULL, NULL), "albums"));
    corm_statement_add(
        select, CORM_CLAUSE_WHERE,
        corm_relation_exists(a->artists, NULL, "albums", CORM_LT(corm_expr_column(a->albums, "year"), CORM_INT(2000))));
    return print_rows(a, select);
}

/* With a record: those whose artist it is. */
static bool compare(app *a) {
    artist otto;
    if (corm_record_find(a->db, a->artists, CORM_VALUES(corm_value_int64(2)), &otto, a->arena, &a->error) != CORM_OK)
        return false;
    corm_statement *select = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(a->albums, "title"));
    corm_statement_add(select, CORM_CLAUSE_WHERE, corm_relation_is(a->albums, NULL, "artist", &otto));
    return print_rows(a, select);
}

/* The related records of many, in one statement. */
static bool load(app *a) {
    corm_records *records = NULL;
    corm_related *related = NULL;
    if (corm_query_fetch(a->db, a->artists, NULL, &records, &a->error) != CORM_OK)
        return false;
    const artist *artists = corm_records_data(records);
    size_t count = corm_records_count(records);
    bool done = corm_relation_load(a->db, a->artists, "albums", artists, count,
                                   CORM_LOAD(.order_by = "-year", .limit = 1), &related, &a->error) == CORM_OK;
    for (size_t i = 0; done && i < count; i++) {
        size_t album_count;
        const album *albums = corm_related_get(related, i, &album_count);
        for (size_t k = 0; k < album_count; k++)
            printf("the newest of %s: %s\n", artists[i].name, albums[k].title);
    }
    corm_related_free(related);
    corm_records_free(records);
    return done;
}

/* Artists and their albums go in together: keys and foreign keys are filled in, level by level. */
static bool save(app *a) {
    artist pia = {.name = "Pia"};
    album pias[] = {{.title = "Tide", .year = 2020}, {.title = "Ebb", .year = 2022}};
    if (corm_relation_save(a->db, a->artists, &pia, 1,
                           CORM_LEVELS(CORM_LEVEL(.relation = "albums", .records = pias, .count = 2)), NULL,
                           &a->error) != CORM_OK)
        return false;
    printf("%" PRId64 ", %" PRId64 " of %" PRId64 "\n", pia.id, pias[1].id, pias[1].artistId.value);
    /* Those that are no longer among them are deleted. */
    return corm_relation_save(a->db, a->artists, &pia, 1,
                              CORM_LEVELS(CORM_LEVEL(.removed = CORM_REMOVED_DELETE, .relation = "albums",
                                                     .records = pias, .count = 1)),
                              NULL, &a->error) == CORM_OK;
}

int main(void) {
    app a = {0};
    return close_music(&a, open_music(&a) && ask(&a) && compare(&a) && load(&a) && save(&a));
}
