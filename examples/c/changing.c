/* UPDATE, DELETE and INSERT by expressions. */
#include "music.h"

typedef struct counter {
    const char *word;
    int64_t number;
} counter;
static const corm_column_def counter_columns[] = {
    CORM_COLUMN(counter, word, CORM_TEXT, .primary_key = true),
    CORM_COLUMN(counter, number, CORM_INT64),
};
static const corm_model_def counter_def = CORM_MODEL(counter, "Counter", counter_columns);

/* Runs a statement and frees it. */
static bool run(app *a, corm_statement *statement, int64_t *changed) {
    corm_status status = corm_statement_execute(a->db, statement, CORM_NO_VALUES, changed, &a->error);
    corm_statement_free(statement);
    return status == CORM_OK;
}

/* By condition, also along a relation; what was written comes back where it is asked for. */
static bool change(app *a) {
    corm_statement *update = corm_statement_create(CORM_UPDATE, a->albums, NULL);
    corm_statement_set(update, "year", CORM_ADD(corm_expr_column(a->albums, "year"), CORM_INT(1)));
    corm_statement_add(update, CORM_CLAUSE_WHERE,
                       CORM_EQ(corm_expr_column(a->albums, "artist.name"), CORM_STR("Nina")));
    int64_t changed = 0;
    if (!run(a, update, &changed))
        return false;
    printf("%" PRId64 " albums changed\n", changed);

    corm_statement *delete = corm_statement_create(CORM_DELETE, a->albums, NULL);
    corm_statement_add(delete, CORM_CLAUSE_WHERE, CORM_IS_NULL(corm_expr_column(a->albums, "price")));
    corm_statement_add(delete, CORM_CLAUSE_RETURNING, corm_expr_column(a->albums, "title"));
    return print_rows(a, delete);
}

/* The rows of a query go in without passing through the program. */
static bool copy(app *a) {
    corm_statement *titles = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_statement_add(titles, CORM_CLAUSE_COLUMN, corm_expr_column(a->albums, "title"));
    corm_statement_add(titles, CORM_CLAUSE_WHERE, CORM_LT(corm_expr_column(a->albums, "year"), CORM_INT(2000)));
    corm_statement *insert = corm_statement_create(CORM_INSERT, a->artists, NULL);
    corm_statement_insert_select(insert, "name", titles);
    int64_t inserted = 0;
    return run(a, insert, &inserted) && printf("%" PRId64 " inserted\n", inserted) > 0;
}

/* An upsert: where the key is there already, that row is changed; "excluded" is the one that came too late. */
static bool count(app *a) {
    corm_model *counters = NULL;
    if (corm_model_create(&counter_def, &counters, &a->error) != CORM_OK ||
        corm_model_create_tables(a->db, CORM_MODELS(counters), &a->error) != CORM_OK)
        return false;
    corm_statement *insert = corm_statement_create(CORM_INSERT, counters, NULL);
    corm_statement_set(insert, "word", CORM_STR("sea"));
    corm_statement_set(insert, "number", CORM_INT(2));
    corm_statement_upsert(insert, "word");
    corm_statement_upsert_set(insert, "number",
                              CORM_ADD(corm_expr_column(counters, "number"), corm_expr_name("excluded", "number")));
    corm_statement_add(insert, CORM_CLAUSE_RETURNING, corm_expr_column(counters, "number"));
    bool done = print_rows(a, corm_statement_copy(insert)) && print_rows(a, insert);
    corm_model_free(counters);
    return done;
}

/* A conflict policy says what becomes of a row that a constraint refuses. */
static bool several(app *a) {
    static const char *const names[] = {"Ada", "Bea"};
    corm_statement *insert = corm_statement_create(CORM_INSERT, a->artists, NULL);
    for (size_t i = 0; i < 2; i++)
        corm_statement_values(insert, "name", CORM_EXPRS(CORM_STR(names[i])));
    corm_statement_add(insert, CORM_CLAUSE_RETURNING, corm_expr_column(a->artists, "id"));
    return print_rows(a, insert);
}

static bool ignore(app *a) {
    artist nina = {.name = "Nina"};
    corm_statement *insert = corm_statement_create(CORM_INSERT, a->artists, NULL);
    corm_statement_set(insert, "name", CORM_STR("Nina"));
    corm_statement_conflict(insert, CORM_CONFLICT_IGNORE);
    int64_t inserted = 0;
    return run(a, insert, &inserted) && inserted == 0 &&
           corm_record_insert(a->db, a->artists, &nina, CORM_CONFLICT_IGNORE, NULL, &a->error) == CORM_IGNORED;
}

int main(void) {
    app a = {0};
    return close_music(&a, open_music(&a) && change(&a) && copy(&a) && count(&a) && several(&a) && ignore(&a));
}
