#include "statements.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

corm_model *pets;

const corm_column_def pet_columns[4] = {
    CORM_COLUMN(pet, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(pet, owner_id, CORM_INT64, .references_table = "person"),
    CORM_COLUMN(pet, name, CORM_TEXT, .not_null = true),
    CORM_COLUMN(pet, weight, CORM_INT64),
};
const corm_model_def pet_def = CORM_MODEL(pet, "Pet", pet_columns);

int set_up_statements(void **state) {
    set_up(state);
    OK(corm_model_create(&pet_def, &pets, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(people, pets), &failure));
    person persons[] = {
        {1, "Ada", "London", {true, 36}, 1.7}, {2, "Bob", NULL, {true, 36}, 1.8},
        {3, "Cora", "Rome", {false, 0}, 1.6},  {4, "Dan", "Rome", {true, 20}, 1.9},
        {5, "eve", "Paris", {true, 50}, 1.5},  {6, "a%b_c\\d", NULL, {false, 0}, 2.5},
    };
    pet beasts[] = {
        {1, {true, 1}, "Rex", {true, 10}},    {2, {true, 1}, "Tom", {true, 4}}, {3, {true, 4}, "Ivy", {true, 7}},
        {4, {false, 0}, "Stray", {false, 0}}, {5, {true, 5}, "Tom", {true, 4}},
    };
    OK(corm_record_insert_many(db, people, persons, 6, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    OK(corm_record_insert_many(db, pets, beasts, 5, CORM_CONFLICT_ABORT, NULL, NULL, &failure));
    return 0;
}

int tear_down_statements(void **state) {
    corm_model_free(pets);
    pets = NULL;
    return tear_down(state);
}

corm_expr *column(const char *property) { return corm_expr_column(people, property); }
corm_expr *pet_column(const char *property) { return corm_expr_column(pets, property); }
corm_expr *name(const char *source, const char *column) { return corm_expr_name(source, column); }
corm_expr *number(int64_t value) { return corm_expr_value(corm_value_int64(value)); }
corm_expr *text(const char *value) { return corm_expr_value(corm_value_text(value)); }
corm_expr *null_value(void) { return corm_expr_value(corm_value_null()); }
corm_expr *unary(int32_t operation, corm_expr *operand) { return corm_expr_unary(operation, operand); }

corm_expr *binary(int32_t operation, corm_expr *left, corm_expr *right) {
    return corm_expr_binary(operation, left, right);
}

corm_statement *select_from(const corm_model *model) { return corm_statement_create(CORM_SELECT, model, NULL); }
corm_statement *select_nothing(void) { return corm_statement_create(CORM_SELECT, NULL, NULL); }

static corm_statement *with_clause(corm_statement *statement, int32_t clause, corm_expr *expression) {
    corm_statement_add(statement, clause, expression);
    return statement;
}

corm_statement *with_column(corm_statement *statement, corm_expr *expression) {
    return with_clause(statement, CORM_CLAUSE_COLUMN, expression);
}

corm_statement *where(corm_statement *statement, corm_expr *condition) {
    return with_clause(statement, CORM_CLAUSE_WHERE, condition);
}

corm_statement *ordered_by(corm_statement *statement, corm_expr *term) {
    return with_clause(statement, CORM_CLAUSE_ORDER_BY, term);
}

/* Appends to a text of `size` bytes. */
static void append(char *to, size_t size, const char *format, ...) {
    va_list arguments;
    size_t used = strlen(to);
    va_start(arguments, format);
    vsnprintf(to + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_value(char *to, size_t size, const corm_value *value, const char *quote) {
    const unsigned char *bytes = value->as.bytes.data;
    switch (value->type) {
    case CORM_VALUE_INTEGER:
        append(to, size, "%" PRId64, value->as.integer);
        break;
    case CORM_VALUE_REAL:
        append(to, size, "%#.4g", value->as.real);
        break;
    case CORM_VALUE_TEXT:
        append(to, size, "%s%.*s%s", quote, (int)value->as.bytes.size, (const char *)bytes, quote);
        break;
    case CORM_VALUE_BLOB:
        append(to, size, "x'");
        for (size_t index = 0; index < value->as.bytes.size; index += 1)
            append(to, size, "%02x", bytes[index]);
        append(to, size, "'");
        break;
    default:
        append(to, size, "NULL");
    }
}

static void check_sql(const char *found, const corm_value *values, size_t count, const char *sql, const char *bindings,
                      const char *file, int line) {
    char listed[4096] = "";
    for (size_t index = 0; index < count; index += 1) {
        append(listed, sizeof listed, index == 0 ? "" : ", ");
        if (values[index].name != NULL)
            append(listed, sizeof listed, ":%s", values[index].name);
        else
            append_value(listed, sizeof listed, &values[index], "'");
    }
    _assert_string_equal(found, sql, file, line);
    _assert_string_equal(listed, bindings, file, line);
}

const char *rows_of(corm_result *result) {
    static char rows[8192];
    int32_t columns = corm_result_column_count(result);
    corm_value value;
    rows[0] = '\0';
    while (corm_result_next(result, &failure) == CORM_ROW) {
        append(rows, sizeof rows, rows[0] == '\0' ? "" : "; ");
        for (int32_t index = 0; index < columns; index += 1) {
            append(rows, sizeof rows, index == 0 ? "" : " ");
            OK(corm_result_get(result, index, &value, &failure));
            append_value(rows, sizeof rows, &value, "");
        }
    }
    corm_result_close(result);
    return rows;
}

static void check_statement_sql(const corm_statement *statement, const char *sql, const char *bindings,
                                const char *file, int line) {
    corm_arena *arena = corm_arena_create();
    const char *found = "";
    const corm_value *values;
    size_t count = 0;
    check_status(CORM_OK, (forget_failure(), corm_statement_sql(statement, arena, &found, &values, &count, &failure)),
                 "the statement's SQL", file, line);
    check_sql(found, values, count, sql, bindings, file, line);
    corm_arena_free(arena);
}

void check_select(corm_statement *statement, const char *sql, const char *bindings, const char *rows, const char *file,
                  int line) {
    corm_result *result = NULL;
    check_statement_sql(statement, sql, bindings, file, line);
    check_status(CORM_OK, corm_result_open_statement(db, statement, CORM_NO_VALUES, &result, &failure), "the statement",
                 file, line);
    _assert_string_equal(rows_of(result), rows, file, line);
    check_status(CORM_OK, failure == NULL ? CORM_OK : corm_error_code(failure), "its last row", file, line);
    corm_statement_free(statement);
}

void check_change(corm_statement *statement, const char *sql, const char *bindings, int64_t changes, const char *probe,
                  const char *rows, const char *file, int line) {
    corm_result *result = NULL;
    int64_t found = -1;
    check_statement_sql(statement, sql, bindings, file, line);
    check_status(CORM_OK, corm_statement_execute(db, statement, CORM_NO_VALUES, &found, &failure), "the statement",
                 file, line);
    _assert_int_equal((unsigned long)found, (unsigned long)changes, file, line);
    OK(corm_result_open(db, probe, CORM_NO_VALUES, &result, &failure));
    _assert_string_equal(rows_of(result), rows, file, line);
    corm_statement_free(statement);
}

static void check_expression_sql(const corm_expr *expression, const char *sql, const char *bindings, const char *file,
                                 int line) {
    corm_arena *arena = corm_arena_create();
    const char *found = "";
    const corm_value *values;
    size_t count = 0;
    check_status(CORM_OK, (forget_failure(), corm_expr_sql(expression, arena, &found, &values, &count, &failure)),
                 "the expression's SQL", file, line);
    check_sql(found, values, count, sql, bindings, file, line);
    corm_arena_free(arena);
}

void check_condition(corm_expr *condition, const char *sql, const char *bindings, const char *ids, const char *file,
                     int line) {
    char found[1024] = "";
    char whole[8192];
    check_expression_sql(condition, sql, bindings, file, line);
    corm_statement *statement = with_column(select_from(people), column("id"));
    ordered_by(where(statement, condition), column("id"));
    snprintf(whole, sizeof whole, "SELECT \"id\" FROM \"person\" WHERE %s ORDER BY \"id\"", sql);
    for (const char *byte = ids; *byte != '\0'; byte += 1)
        append(found, sizeof found, *byte == ' ' ? "; " : "%c", *byte);
    check_select(statement, whole, bindings, found, file, line);
}

void check_expression(corm_expr *expression, const char *sql, const char *bindings, const char *value, const char *file,
                      int line) {
    char whole[8192];
    check_expression_sql(expression, sql, bindings, file, line);
    snprintf(whole, sizeof whole, "SELECT %s", sql);
    check_select(with_column(select_nothing(), expression), whole, bindings, value, file, line);
}

void check_failure(const char *part, const char *file, int line) {
    char said[4096] = "";
    const char *hint = corm_error_hint(failure);
    append(said, sizeof said, "%s; %s", corm_error_message(failure), hint == NULL ? "" : hint);
    if (strstr(said, part) == NULL) {
        print_error("no \"%s\" in: %s\n", part, said);
        _fail(file, line);
    }
}

void check_bad_expression(corm_expr *expression, corm_status status, const char *part, const char *file, int line) {
    corm_arena *arena = corm_arena_create();
    const char *sql = NULL;
    forget_failure();
    check_status(status, corm_expr_sql(expression, arena, &sql, NULL, NULL, &failure), "the expression's SQL", file,
                 line);
    check_failure(part, file, line);
    assert_null(sql);
    corm_expr_free(expression);
    corm_arena_free(arena);
}

void check_bad_statement(corm_statement *statement, corm_status status, const char *part, const char *file, int line) {
    corm_arena *arena = corm_arena_create();
    const char *sql = NULL;
    forget_failure();
    check_status(status, corm_statement_sql(statement, arena, &sql, NULL, NULL, &failure), "the statement's SQL", file,
                 line);
    check_failure(part, file, line);
    assert_null(sql);
    corm_statement_free(statement);
    corm_arena_free(arena);
}
