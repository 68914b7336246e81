/* SELECT: columns, joins, groups, windows, compounds, common table expressions, paging. */
#include "music.h"

/* A query is a value: it is kept, and run again with other parameters. */
static bool conditions(app *a) {
    corm_statement *select = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_statement_add(
        select, CORM_CLAUSE_WHERE,
        CORM_OR(CORM_GE(corm_expr_column(a->albums, "year"), corm_expr_parameter("since")),
                CORM_CONTAINS(corm_expr_column(a->albums, "title"), CORM_STR("50%")))); /* % is no wildcard here */
    corm_statement_add(select, CORM_CLAUSE_ORDER_BY, corm_expr_order(corm_expr_column(a->albums, "year"), true, 0));

    bool done = true;
    for (int64_t since = 2000; done && since <= 2010; since += 10) {
        corm_value parameters[] = {corm_value_named("since", corm_value_int64(since))};
        corm_records *records = NULL;
        done =
            corm_query_fetch(a->db, a->albums, CORM_QUERY(.values = parameters, .value_count = 1, .statement = select),
                             &records, &a->error) == CORM_OK;
        const album *found = done ? corm_records_data(records) : NULL;
        for (size_t i = 0; i < corm_records_count(records); i++)
            printf("since %" PRId64 ": %s\n", since, found[i].title);
        corm_records_free(records);
    }
    corm_statement_free(select);
    return done;
}

/* Columns and other expressions instead of whole records. */
static bool chosen(app *a) {
    corm_statement *select = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(a->albums, "title"));
    corm_statement_add(select, CORM_CLAUSE_WHERE,
                       corm_expr_binary(CORM_OP_IN, corm_expr_column(a->albums, "id"), corm_expr_parameter("ids")));
    corm_value ids[] = {corm_value_int64(1), corm_value_int64(2)};
    corm_value parameters[] = {corm_value_named("ids", corm_value_list(ids, 2))};
    const corm_value *titles = NULL;
    size_t count = 0;
    bool done = corm_query_values(a->db, CORM_QUERY(.values = parameters, .value_count = 1, .statement = select),
                                  a->arena, &titles, &count, &a->error) == CORM_OK;
    for (size_t i = 0; i < count; i++)
        printf("%.*s\n", (int)titles[i].as.bytes.size, (const char *)titles[i].as.bytes.data);
    corm_statement_free(select);
    return done;
}

static bool columns(app *a) {
    corm_statement *select = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(a->albums, "title"));
    corm_statement_add(select, CORM_CLAUSE_COLUMN,
                       corm_expr_as(CORM_MULTIPLY(corm_expr_column(a->albums, "price"), CORM_INT(2)), "double"));
    corm_statement_add(select, CORM_CLAUSE_WHERE, CORM_IS_NOT_NULL(corm_expr_column(a->albums, "price")));
    corm_statement_add(select, CORM_CLAUSE_ORDER_BY, corm_expr_order(corm_expr_column(a->albums, "price"), true, 0));
    return print_rows(a, select);
}

/* On any condition, or along a relation; an alias where a table takes part twice. */
static bool joins(app *a) {
    corm_statement *pairs = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_statement_join(
        pairs, CORM_JOIN_INNER, CORM_SOURCE(.model = a->albums, .alias = "later"),
        CORM_AND(CORM_EQ(corm_expr_column_of("later", a->albums, "artistId"), corm_expr_column(a->albums, "artistId")),
                 CORM_GT(corm_expr_column_of("later", a->albums, "year"), corm_expr_column(a->albums, "year"))));
    corm_statement_join_relation(pairs, CORM_JOIN_INNER, NULL, "artist", NULL);
    corm_statement_add(pairs, CORM_CLAUSE_COLUMN, corm_expr_column(a->albums, "title"));
    corm_statement_add(pairs, CORM_CLAUSE_COLUMN,
                       corm_expr_as(corm_expr_column_of("later", a->albums, "title"), "later"));
    corm_statement_add(pairs, CORM_CLAUSE_WHERE, CORM_EQ(corm_expr_column(a->artists, "name"), CORM_STR("Nina")));
    return print_rows(a, pairs);
}

/* Aggregates, and groups that meet a condition. */
static bool groups(app *a) {
    corm_statement *select = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(a->albums, "artist.name"));
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_as(CORM_COUNT(), "albums"));
    corm_statement_add(select, CORM_CLAUSE_GROUP_BY, corm_expr_column(a->albums, "artistId"));
    corm_statement_add(select, CORM_CLAUSE_HAVING, CORM_GT(CORM_COUNT(), CORM_INT(1)));
    return print_rows(a, select);
}

/* A running total. */
static bool windows(app *a) {
    corm_statement *select = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_expr *total = corm_expr_over(CORM_CALL("sum", corm_expr_column(a->albums, "price")), NULL, 0,
                                      CORM_EXPRS(corm_expr_column(a->albums, "year")), NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(a->albums, "title"));
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_as(total, "total"));
    return print_rows(a, select);
}

/* Rows of two queries; order and limit are those of the whole. */
static bool compounds(app *a) {
    corm_statement *names = corm_statement_create(CORM_SELECT, a->artists, NULL);
    corm_statement_add(names, CORM_CLAUSE_COLUMN, corm_expr_column(a->artists, "name"));
    corm_statement *titles = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_statement_add(titles, CORM_CLAUSE_COLUMN, corm_expr_column(a->albums, "title"));
    corm_statement_compound(names, CORM_UNION, titles);
    corm_statement_add(names, CORM_CLAUSE_ORDER_BY, corm_expr_name(NULL, "name"));
    corm_statement_add(names, CORM_CLAUSE_LIMIT, CORM_INT(3));
    return print_rows(a, names);
}

/* A query under a name; one that reads from its own name is recursive. */
static bool common_tables(app *a) {
    corm_statement *years = corm_statement_create(CORM_SELECT, NULL, NULL);
    corm_statement_add(years, CORM_CLAUSE_COLUMN, CORM_INT(1998));
    corm_statement *next = corm_statement_create(CORM_SELECT, NULL, NULL);
    corm_statement_from(next, CORM_SOURCE(.name = "years"));
    corm_statement_add(next, CORM_CLAUSE_COLUMN, CORM_ADD(corm_expr_name("years", "year"), CORM_INT(3)));
    corm_statement_add(next, CORM_CLAUSE_WHERE, CORM_LT(corm_expr_name("years", "year"), CORM_INT(2010)));
    corm_statement_compound(years, CORM_UNION_ALL, next);

    corm_statement *select = corm_statement_create(CORM_SELECT, NULL, NULL);
    corm_statement_with(select, "years", "year", years);
    corm_statement_from(select, CORM_SOURCE(.name = "years"));
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_name("years", "year"));
    return print_rows(a, select);
}

/* A row for each element of JSON. */
static bool table_functions(app *a) {
    corm_expr *array =
        CORM_CALL("json_array", corm_expr_column(a->albums, "title"), corm_expr_column(a->albums, "year"));
    corm_statement *select = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_statement_join(select, CORM_JOIN_CROSS,
                        CORM_SOURCE(.alias = "part", .function = "json_each", .arguments = &array, .argument_count = 1),
                        NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(a->albums, "id"));
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_name("part", "value"));
    corm_statement_add(select, CORM_CLAUSE_WHERE, CORM_EQ(corm_expr_name("part", "type"), CORM_STR("text")));
    return print_rows(a, select);
}

/* The page after a row stays right when rows come and go, however far down it is. */
static bool pages(app *a) {
    corm_statement *select = corm_statement_create(CORM_SELECT, a->albums, NULL);
    corm_statement_add(select, CORM_CLAUSE_ORDER_BY, corm_expr_order(corm_expr_column(a->albums, "year"), true, 0));
    corm_statement_add(select, CORM_CLAUSE_ORDER_BY, corm_expr_column(a->albums, "id"));
    corm_statement_add(select, CORM_CLAUSE_LIMIT, CORM_INT(2));
    corm_statement_after(select, CORM_VALUES(corm_value_int64(2004), corm_value_int64(2)));
    return print_rows(a, select);
}

int main(void) {
    app a = {0};
    return close_music(&a, open_music(&a) && conditions(&a) && chosen(&a) && columns(&a) && joins(&a) && groups(&a) &&
                               windows(&a) && compounds(&a) && common_tables(&a) && table_functions(&a) && pages(&a));
}
