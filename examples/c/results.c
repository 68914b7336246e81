/* What a query can give: records, rows, numbers, a stream, columns, JSON. */
#include "music.h"

/* Any struct with a model can be filled from a query that has its columns; no table is needed. */
typedef struct line {
    const char *title;
    int64_t year;
} line;
static const corm_column_def line_columns[] = {
    CORM_COLUMN(line, title, CORM_TEXT),
    CORM_COLUMN(line, year, CORM_INT64),
};
static const corm_model_def line_def = CORM_MODEL(line, "Line", line_columns);

static corm_statement *titles_and_years(app *a) {
    corm_statement *select = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(a->albums, "title"));
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(a->albums, "year"));
    corm_statement_add(select, CORM_CLAUSE_ORDER_BY, corm_expr_column(a->albums, "year"));
    return select;
}

/* An array of structs, of the model's own or of one's own making. */
static bool forms(app *a) {
    corm_statement *select = titles_and_years(a);
    corm_model *lines = NULL;
    corm_records *records = NULL;
    bool done = corm_model_create(&line_def, &lines, &a->error) == CORM_OK &&
                corm_query_fetch(a->db, lines, CORM_QUERY(.statement = select), &records, &a->error) == CORM_OK;
    const line *found = corm_records_data(records);
    for (size_t i = 0; i < corm_records_count(records); i++)
        printf("%s %" PRId64 "\n", found[i].title, found[i].year);
    corm_records_free(records);
    corm_statement_free(select);
    corm_model_free(lines);
    return done;
}

/* One row, how many, whether any, how many pages. */
static bool numbers(app *a) {
    corm_statement *select = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_statement_add(select, CORM_CLAUSE_WHERE, CORM_GT(corm_expr_column(a->albums, "year"), CORM_INT(2000)));
    corm_statement_add(select, CORM_CLAUSE_ORDER_BY, corm_expr_column(a->albums, "year"));
    corm_query query = CORM_QUERY_INIT;
    query.statement = select;
    album first;
    int64_t count = 0, pages = 0;
    bool done = corm_query_first(a->db, a->albums, &query, &first, a->arena, &a->error) == CORM_OK &&
                corm_query_count(a->db, a->albums, &query, &count, &a->error) == CORM_OK &&
                corm_query_exists(a->db, a->albums, &query, &a->error) == CORM_OK &&
                corm_query_page_count(a->db, a->albums, &query, 10, &pages, &a->error) == CORM_OK;
    if (done)
        printf("%s %" PRId64 " %" PRId64 "\n", first.title, count, pages);
    corm_statement_free(select);
    return done;
}

/* Row by row in constant memory; the record's texts live until the next one. */
static bool exactly_one(app *a) {
    album found;
    corm_expr *recent = CORM_GT(corm_expr_column(a->albums, "year"), CORM_INT(2000));
    if (corm_query_first(a->db, a->albums, CORM_QUERY(.one = true, .where = recent), &found, a->arena, &a->error) !=
        CORM_E_SEVERAL_ROWS)
        return false;
    printf("%s\n", corm_error_message(a->error));
    corm_error_free(a->error);
    a->error = NULL;
    return true;
}

static bool stream(app *a) {
    corm_cursor *cursor = NULL;
    album one;
    corm_status status = corm_cursor_open(a->db, a->albums, CORM_QUERY(.order_by = "id"), &cursor, &a->error);
    while (status >= 0 && (status = corm_cursor_next(cursor, &one, &a->error)) == CORM_ROW)
        printf("%s %" PRId64 "\n", one.title, one.year);
    corm_cursor_close(cursor);
    return status == CORM_DONE;
}

/* As columns: an Arrow C stream, which many libraries take as it is. */
static bool columns(app *a) {
    struct ArrowArrayStream columns;
    struct ArrowArray batch;
    if (corm_query_arrow(a->db, a->albums, NULL, &columns, &a->error) != CORM_OK)
        return false;
    bool done = columns.get_next(&columns, &batch) == 0;
    if (done && batch.release != NULL) {
        const int64_t *years = batch.children[2]->buffers[1];
        printf("%" PRId64 " years, the first %" PRId64 "\n", batch.length, years[0]);
        batch.release(&batch);
    }
    columns.release(&columns);
    return done;
}

/* SQL of one's own: rows by name or as JSON. */
static bool raw_sql(app *a) {
    corm_result *rows = NULL;
    const char *json;
    bool done = corm_result_open(a->db, "SELECT year, count(*) AS albums FROM album WHERE year > ? GROUP BY 1",
                                 CORM_VALUES(corm_value_int64(2000)), &rows, &a->error) == CORM_OK &&
                corm_result_json(rows, &json, &a->error) == CORM_OK;
    if (done)
        printf("%s\n", json);
    corm_result_close(rows);
    return done;
}

int main(void) {
    app a = {0};
    return close_music(&a, open_music(&a) && forms(&a) && numbers(&a) && exactly_one(&a) && stream(&a) && columns(&a) &&
                               raw_sql(&a));
}
