/* Every operator and function that expressions have, with the SQL that each stands for. */
#include "music.h"

static corm_model *albums, *artists;

/* What the expressions below have in common; a builder takes its parts over, so each use makes new ones. */
#define YEAR corm_expr_column(albums, "year")
#define TITLE corm_expr_column(albums, "title")
#define PRICE corm_expr_column(albums, "price")
#define DETAILS corm_expr_column(albums, "details")
#define RELEASED corm_expr_column(albums, "released")
#define ARTIST corm_expr_column(albums, "artistId")
#define RECENT CORM_GT(corm_expr_column(albums, "year"), CORM_INT(2000))
#define CHEAP CORM_LT(corm_expr_column(albums, "price"), CORM_REAL(10))
#define CASES(when, then) (corm_expr *const[]){when}, (corm_expr *const[]){then}, 1

static corm_statement *ids(void) {
    corm_statement *select = corm_statement_create(CORM_SELECT, artists, NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(artists, "id"));
    return select;
}

static corm_statement *newest(void) {
    corm_statement *select = corm_statement_create(CORM_SELECT, albums, NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, CORM_CALL("max", YEAR));
    return select;
}

/* An expression is a value that knows its SQL and what is bound to it. */
static bool show(app *a, corm_expr *expression) {
    const char *sql;
    const corm_value *values;
    size_t count;
    corm_status status = corm_expr_sql(expression, a->arena, &sql, &values, &count, &a->error);
    if (status == CORM_OK)
        printf("%s  with %zu values\n", sql, count);
    corm_expr_free(expression);
    return status == CORM_OK;
}

static bool show_all(app *a) {
    corm_expr *const expressions[] = {
        /* Columns and values */
        corm_expr_column(albums, "year"),
        corm_expr_column(albums, "artist.name"),
        CORM_INT(5),
        corm_expr_parameter("since"),
        /* Comparing */
        CORM_EQ(corm_expr_column(albums, "year"), CORM_INT(2004)),
        CORM_NE(corm_expr_column(albums, "year"), CORM_INT(2004)),
        CORM_LT(corm_expr_column(albums, "year"), CORM_INT(2004)),
        CORM_LE(corm_expr_column(albums, "year"), CORM_INT(2004)),
        CORM_GT(corm_expr_column(albums, "year"), CORM_INT(2004)),
        CORM_GE(corm_expr_column(albums, "year"), CORM_INT(2004)),
        CORM_IS_NULL(PRICE),
        CORM_IS_NOT_NULL(PRICE),
        corm_expr_binary(CORM_OP_IS, PRICE, CORM_REAL(7.5)),
        corm_expr_binary(CORM_OP_IS_NOT, PRICE, CORM_REAL(7.5)),
        CORM_BETWEEN(YEAR, CORM_INT(1990), CORM_INT(1999)),
        corm_expr_in(YEAR, CORM_VALUES(corm_value_int64(1998), corm_value_int64(2004))),
        corm_expr_in_select(corm_expr_column(albums, "artistId"), ids()),
        corm_expr_binary(CORM_OP_IN, YEAR, corm_expr_parameter("years")),
        CORM_GT(CORM_ROW_VALUE(YEAR, TITLE), CORM_ROW_VALUE(CORM_INT(1998), CORM_STR("F"))),
        CORM_IN(CORM_ROW_VALUE(YEAR, TITLE), corm_value_int64(1998), corm_value_text("First Light")),
        /* Conditions */
        CORM_AND(RECENT, CHEAP),
        CORM_OR(RECENT, CHEAP),
        CORM_NOT(RECENT),
        corm_expr_all(CORM_EXPRS(RECENT, CHEAP)),
        corm_expr_any(CORM_EXPRS(RECENT, CHEAP)),
        /* Numbers */
        CORM_ADD(YEAR, CORM_INT(1)),
        CORM_SUBTRACT(YEAR, CORM_INT(1)),
        CORM_MULTIPLY(YEAR, CORM_INT(2)),
        CORM_DIVIDE(YEAR, CORM_INT(10)),
        corm_expr_binary(CORM_OP_REMAINDER, YEAR, CORM_INT(10)),
        corm_expr_unary(CORM_OP_NEGATE, YEAR),
        CORM_CALL("abs", YEAR),
        CORM_CALL("round", PRICE, CORM_INT(1)),
        corm_expr_binary(CORM_OP_BIT_AND, YEAR, CORM_INT(3)),
        corm_expr_binary(CORM_OP_BIT_OR, YEAR, CORM_INT(3)),
        corm_expr_unary(CORM_OP_BIT_NOT, YEAR),
        corm_expr_binary(CORM_OP_SHIFT_LEFT, YEAR, CORM_INT(3)),
        corm_expr_binary(CORM_OP_SHIFT_RIGHT, YEAR, CORM_INT(3)),
        corm_expr_cast(YEAR, CORM_TEXT),
        /* Texts */
        corm_expr_binary(CORM_OP_CONCAT, TITLE, CORM_STR("!")),
        CORM_HAS_PREFIX(TITLE, CORM_STR("50%")),
        CORM_HAS_SUFFIX(TITLE, CORM_STR("Off")),
        CORM_CONTAINS(TITLE, CORM_STR("%")),
        CORM_LIKE(TITLE, CORM_STR("F_rst%")),
        corm_expr_binary(CORM_OP_NOT_LIKE, TITLE, CORM_STR("F%")),
        corm_expr_binary(CORM_OP_GLOB, TITLE, CORM_STR("[A-M]*")),
        corm_expr_binary(CORM_OP_NOT_GLOB, TITLE, CORM_STR("F*")),
        corm_expr_binary(CORM_OP_REGEXP, TITLE, CORM_STR("^[A-M].*t$")),
        corm_expr_collate(TITLE, "NOCASE"),
        CORM_CONTAINS(corm_expr_collate(TITLE, "corm_nocase"), CORM_STR("É")),
        CORM_CALL("lower", TITLE),
        CORM_CALL("upper", TITLE),
        CORM_CALL("trim", TITLE),
        CORM_CALL("length", TITLE),
        /* Choosing */
        corm_expr_case(NULL, CASES(RECENT, CORM_STR("new")), CORM_STR("old")),
        corm_expr_case(YEAR, CASES(CORM_INT(1998), CORM_STR("first")), NULL),
        CORM_CALL("coalesce", PRICE, CORM_REAL(0)),
        /* Aggregates and windows */
        CORM_COUNT(),
        CORM_CALL("count", PRICE),
        CORM_CALL("sum", PRICE),
        CORM_CALL("total", PRICE),
        CORM_CALL("avg", PRICE),
        CORM_CALL("min", YEAR),
        CORM_CALL("max", YEAR),
        CORM_CALL("group_concat", TITLE, CORM_STR(", ")),
        CORM_CALL("group_concat", TITLE, CORM_STR(", "), corm_expr_order(YEAR, false, CORM_NULLS_LEAST)),
        corm_expr_distinct(CORM_CALL("count", YEAR)),
        corm_expr_filter(CORM_CALL("sum", PRICE), RECENT),
        corm_expr_over(CORM_CALL("sum", PRICE), NULL, 0, CORM_EXPRS(YEAR), NULL),
        corm_expr_over(corm_expr_call("rank", NULL, 0), CORM_EXPRS(ARTIST), CORM_EXPRS(YEAR), NULL),
        corm_expr_over(CORM_CALL("avg", PRICE), NULL, 0, CORM_EXPRS(YEAR), "ROWS 1 PRECEDING"),
        /* JSON, dates, any function */
        corm_expr_binary(CORM_OP_JSON_VALUE_AT, DETAILS, CORM_STR("$.tracks")),
        corm_expr_binary(CORM_OP_JSON_AT, DETAILS, CORM_STR("$.label")),
        CORM_CALL("strftime", CORM_STR("%Y"), RELEASED),
        CORM_CALL("replace", TITLE, CORM_STR("%"), CORM_STR(" per cent")),
        /* Subqueries */
        corm_expr_select(newest()),
        corm_expr_exists(ids()),
        /* Order terms, names, SQL */
        corm_expr_order(YEAR, true, CORM_NULLS_LEAST),
        corm_expr_order(PRICE, false, CORM_NULLS_LAST),
        corm_expr_as(CORM_CALL("max", YEAR), "newest"),
        corm_expr_raw("length(title) > ?", CORM_VALUES(corm_value_int64(3))),
    };
    for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++)
        if (!show(a, expressions[i]))
            return false;
    return true;
}

/* The SQL of a whole query, and how SQLite would run it. */
static bool explain(app *a) {
    const char *sql;
    const char *tree;
    corm_statement *select = corm_statement_create(CORM_SELECT, albums, NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, TITLE);
    corm_statement_add(select, CORM_CLAUSE_WHERE, CORM_EQ(corm_expr_column(albums, "id"), CORM_INT(1)));
    corm_statement_add(select, CORM_CLAUSE_WHERE, CORM_HAS_PREFIX(TITLE, CORM_STR("50%")));
    bool done = corm_statement_sql(select, a->arena, &sql, NULL, NULL, &a->error) == CORM_OK &&
                corm_statement_explain(a->db, select, a->arena, &tree, &a->error) == CORM_OK;
    if (done)
        printf("%s\n%s", sql, tree);
    corm_statement_free(select);
    return done;
}

typedef struct page {
    const char *title;
    const char *body;
} page;
static const corm_column_def page_columns[] = {CORM_COLUMN(page, title, CORM_TEXT), CORM_COLUMN(page, body, CORM_TEXT)};
static const corm_model_def page_def = CORM_MODEL(page, "Page", page_columns, .module = "fts5");

/* Full-text search: in one column, or in all of an FTS5 table by the table's own name. */
static bool search(app *a) {
    page two[] = {{"Cats", "They purr."}, {"Dogs", "No cats run here."}};
    corm_model *pages = NULL;
    if (corm_model_create(&page_def, &pages, &a->error) != CORM_OK ||
        corm_model_create_tables(a->db, CORM_MODELS(pages), &a->error) != CORM_OK ||
        corm_record_insert_many(a->db, pages, two, 2, CORM_CONFLICT_ABORT, NULL, NULL, &a->error) != CORM_OK)
        return false;
    corm_statement *select = corm_statement_create(CORM_SELECT, pages, NULL);
    corm_statement_add(select, CORM_CLAUSE_COLUMN, corm_expr_column(pages, "title"));
    corm_statement_add(select, CORM_CLAUSE_WHERE,
                       corm_expr_binary(CORM_OP_MATCH, corm_expr_name(NULL, "page"), CORM_STR("cats")));
    corm_statement_add(select, CORM_CLAUSE_ORDER_BY, corm_expr_name(NULL, "rank"));
    bool done = print_rows(a, select);
    corm_model_free(pages);
    return done;
}

int main(void) {
    app a = {0};
    bool done = open_music(&a);
    albums = a.albums;
    artists = a.artists;
    return close_music(&a, done && show_all(&a) && explain(&a) && search(&a));
}
