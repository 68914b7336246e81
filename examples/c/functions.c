/* Functions and collations of the program's, which SQL calls. */
#include "music.h"

#include <string.h>

/* The decade of a year. */
static corm_status decade(const corm_value *arguments, size_t count, corm_answer *answer, void *context,
                          corm_error **out_error) {
    (void)count, (void)context;
    corm_value year = arguments[0];
    if (year.type == CORM_VALUE_INTEGER)
        year.as.integer -= year.as.integer % 10;
    return corm_answer_set(answer, &year, out_error);
}

static bool register_decade(app *a) {
    corm_function function = CORM_FUNCTION_INIT;
    function.name = "decade";
    function.argument_count = 1;
    function.call = decade;
    function.is_deterministic = true;
    return corm_database_register_function(a->db, &function, &a->error) == CORM_OK;
}

static bool use_decade(app *a) {
    int64_t count = 0;
    corm_statement *select = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_expr *call = CORM_CALL("decade", corm_expr_column(a->albums, "year"));
    corm_statement_add(select, CORM_CLAUSE_WHERE, CORM_EQ(call, CORM_INT(1990)));
    bool done = corm_query_count(a->db, a->albums, CORM_QUERY(.statement = select), &count, &a->error) == CORM_OK;
    corm_statement_free(select);
    printf("%" PRId64 " of the nineties\n", count);
    return done;
}

/* Shorter texts first. */
static int32_t by_length(const char *left, size_t left_size, const char *right, size_t right_size, void *context,
                         corm_error **out_error) {
    (void)context, (void)out_error;
    if (left_size != right_size)
        return left_size < right_size ? -1 : 1;
    return memcmp(left, right, left_size);
}

static bool order(app *a) {
    return corm_database_register_collation(a->db, "by_length", by_length, NULL, NULL, &a->error) == CORM_OK;
}

int main(void) {
    app a = {0};
    return close_music(&a, open_music(&a) && register_decade(&a) && use_decade(&a) && order(&a));
}
