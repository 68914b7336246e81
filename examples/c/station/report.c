/* station-report FILE [SENSOR]: what was measured, for each sensor or at one. */
#include "station.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct summary {
    char name[32];
    int64_t readings;
    double mean;
    double highest;
} summary;

static const corm_column_def summary_columns[] = {
    CORM_COLUMN(summary, name, CORM_TEXT),
    CORM_COLUMN(summary, readings, CORM_INT64),
    CORM_COLUMN(summary, mean, CORM_DOUBLE),
    CORM_COLUMN(summary, highest, CORM_DOUBLE),
};
static const corm_model_def summary_def = CORM_MODEL(summary, "Summary", summary_columns);

static bool print_summaries(station *s) {
    corm_query query = CORM_QUERY_INIT;
    corm_model *model = NULL;
    corm_records *records = NULL;
    query.sql = "SELECT name, count(*) AS readings, avg(celsius) AS mean, max(celsius) AS highest "
                "FROM reading JOIN sensor ON sensor.id = sensor_id GROUP BY sensor_id ORDER BY name";
    bool done = corm_model_create(&summary_def, &model, &s->error) == CORM_OK &&
                corm_query_fetch(s->db, model, &query, &records, &s->error) == CORM_OK;
    const summary *found = corm_records_data(records);
    for (size_t i = 0; i < corm_records_count(records); i++)
        printf("%-10s %3" PRId64 " readings, mean %6.2f, highest %6.2f\n", found[i].name, found[i].readings,
               found[i].mean, found[i].highest);
    corm_records_free(records);
    corm_model_free(model);
    return done;
}

static bool print_readings(station *s, const char *name) {
    corm_statement *select = corm_statement_create(CORM_SELECT, s->readings, NULL);
    corm_query query = CORM_QUERY_INIT;
    corm_cursor *cursor = NULL;
    reading one;
    corm_statement_add(select, CORM_CLAUSE_WHERE,
                       CORM_EQ(corm_expr_column(s->readings, "sensor.name"), CORM_STR(name)));
    corm_statement_add(select, CORM_CLAUSE_ORDER_BY, corm_expr_column(s->readings, "id"));
    query.statement = select;
    corm_status status = corm_cursor_open(s->db, s->readings, &query, &cursor, &s->error);
    while (status >= 0 && (status = corm_cursor_next(cursor, &one, &s->error)) == CORM_ROW)
        printf("%.2f\n", one.celsius);
    corm_cursor_close(cursor);
    corm_statement_free(select);
    return status == CORM_DONE;
}

int main(int count, char **words) {
    station s;
    if (count < 2 || count > 3) {
        fprintf(stderr, "usage: station-report FILE [SENSOR]\n");
        return 2;
    }
    return station_close(&s, station_open(&s, words[1]) &&
                                 (count == 2 ? print_summaries(&s) : print_readings(&s, words[2])));
}
