/* Statements of scenario files, through the builders of statement.h, and the steps that show and explain them. */
#include "conformance.h"

#include <stdio.h>
#include <string.h>

static json_t *get(json_t *json, const char *name) { return json_object_get(json, name); }
static const char *string(json_t *json, const char *name) { return json_string_value(get(json, name)); }

static const corm_model *model_named(scenario *run, json_t *json) {
    const char *name = json_string_value(json);
    const dynamic_model *model = name == NULL ? NULL : find_model(run, name);
    return model == NULL ? NULL : model->model;
}

static corm_source source(scenario *run, json_t *json) {
    json_t *select = get(json, "select");
    size_t count = 0;
    corm_expr **arguments = make_expressions(run, get(json, "arguments"), &count);
    return (corm_source){.struct_size = sizeof(corm_source),
                         .model = model_named(run, get(json, "model")),
                         .select = select == NULL ? NULL : make_statement(run, select),
                         .name = string(json, "name"),
                         .alias = string(json, "as"),
                         .function = string(json, "function"),
                         .arguments = arguments,
                         .argument_count = count};
}

static void add_all(scenario *run, corm_statement *statement, int32_t clause, json_t *list) {
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item) corm_statement_add(statement, clause, make_expression(run, item));
}

static void add_tables(scenario *run, corm_statement *statement, json_t *list) {
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item) {
        const char *columns;
        check_members(run, item, "with", " name columns select ");
        if (parse_list(run, get(item, "columns"), &columns)) {
            corm_statement_with(statement, string(item, "name"), columns, make_statement(run, get(item, "select")));
        }
    }
}

static void add_joins(scenario *run, corm_statement *statement, json_t *list) {
    static const char *const kinds[] = {"inner", "left", "cross", "right", "full"};
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item) {
        int32_t kind = find_name(run, string(item, "kind"), kinds, 5);
        json_t *condition = get(item, "on");
        if (get(item, "relation") != NULL) {
            check_members(run, item, "join", " kind relation from as ");
            corm_statement_join_relation(statement, kind, string(item, "from"), string(item, "relation"),
                                         string(item, "as"));
            continue;
        }
        check_members(run, item, "join", " kind model select name function arguments as on ");
        corm_source joined = source(run, item);
        corm_statement_join(statement, kind, &joined, condition == NULL ? NULL : make_expression(run, condition));
    }
}

static void add_compounds(scenario *run, corm_statement *statement, json_t *list) {
    static const char *const operations[] = {"union", "unionAll", "intersect", "except"};
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item) {
        const char *operation = json_object_iter_key(json_object_iter(item));
        corm_statement_compound(statement, find_name(run, operation, operations, 4),
                                make_statement(run, get(item, operation)));
    }
}

typedef void (*setter)(corm_statement *statement, const char *property, corm_expr *value);

static void set_all(scenario *run, corm_statement *statement, json_t *pairs, setter set) {
    size_t index;
    json_t *pair;
    json_array_foreach(pairs, index, pair)
        set(statement, json_string_value(json_array_get(pair, 0)), make_expression(run, json_array_get(pair, 1)));
}

static corm_statement *make_select(scenario *run, json_t *json) {
    corm_statement *statement =
        corm_statement_create(CORM_SELECT, model_named(run, get(json, "select")), string(json, "as"));
    const corm_value *values;
    size_t count;
    check_members(
        run, json, "select",
        " select as with from join distinct columns where groupBy having compound orderBy after limit offset ");
    add_tables(run, statement, get(json, "with"));
    if (get(json, "from") != NULL) {
        corm_source from = source(run, get(json, "from"));
        corm_statement_from(statement, &from);
    }
    add_joins(run, statement, get(json, "join"));
    if (json_is_true(get(json, "distinct")))
        corm_statement_distinct(statement);
    add_all(run, statement, CORM_CLAUSE_COLUMN, get(json, "columns"));
    add_all(run, statement, CORM_CLAUSE_WHERE, get(json, "where"));
    add_all(run, statement, CORM_CLAUSE_GROUP_BY, get(json, "groupBy"));
    add_all(run, statement, CORM_CLAUSE_HAVING, get(json, "having"));
    add_compounds(run, statement, get(json, "compound"));
    add_all(run, statement, CORM_CLAUSE_ORDER_BY, get(json, "orderBy"));
    if (get(json, "after") != NULL && parse_value_list(run, get(json, "after"), &values, &count))
        corm_statement_after(statement, values, count);
    if (get(json, "limit") != NULL)
        corm_statement_add(statement, CORM_CLAUSE_LIMIT, make_expression(run, get(json, "limit")));
    if (get(json, "offset") != NULL)
        corm_statement_add(statement, CORM_CLAUSE_OFFSET, make_expression(run, get(json, "offset")));
    return statement;
}

static void add_rows(scenario *run, corm_statement *statement, json_t *json) {
    const char *names;
    check_members(run, json, "rows", " properties select ");
    if (parse_list(run, get(json, "properties"), &names))
        corm_statement_insert_select(statement, names, make_statement(run, get(json, "select")));
}

static void add_values(scenario *run, corm_statement *statement, json_t *rows) {
    size_t number;
    json_t *row;
    json_array_foreach(rows, number, row) {
        size_t count = json_array_size(row);
        json_t *names = json_array();
        corm_expr **values = allocate(run, count * sizeof *values);
        const char *properties;
        for (size_t index = 0; index < count; index += 1) {
            json_t *pair = json_array_get(row, index);
            json_array_append(names, json_array_get(pair, 0));
            values[index] = make_expression(run, json_array_get(pair, 1));
        }
        if (parse_list(run, names, &properties))
            corm_statement_values(statement, properties, values, count);
        json_decref(names);
    }
}

static corm_statement *make_change(scenario *run, json_t *json, int32_t kind, const char *word, const char *allowed) {
    static const char *const policies[] = {"abort", "ignore", "replace", "fail", "rollback"};
    corm_statement *statement = corm_statement_create(kind, model_named(run, get(json, word)), NULL);
    const char *names;
    check_members(run, json, word, allowed);
    add_tables(run, statement, get(json, "with"));
    if (kind == CORM_UPDATE && get(json, "from") != NULL) {
        corm_source from = source(run, get(json, "from"));
        corm_statement_from(statement, &from);
    }
    set_all(run, statement, get(json, "set"), corm_statement_set);
    add_values(run, statement, get(json, "values"));
    if (get(json, "rows") != NULL)
        add_rows(run, statement, get(json, "rows"));
    if (get(json, "conflict") != NULL)
        corm_statement_conflict(statement, find_name(run, string(json, "conflict"), policies, 5));
    if (get(json, "upsert") != NULL && parse_list(run, get(json, "upsert"), &names))
        corm_statement_upsert(statement, names);
    set_all(run, statement, get(json, "upsertSet"), corm_statement_upsert_set);
    add_all(run, statement, CORM_CLAUSE_WHERE, get(json, "where"));
    add_all(run, statement, CORM_CLAUSE_RETURNING, get(json, "returning"));
    return statement;
}

corm_statement *make_statement(scenario *run, json_t *json) {
    if (get(json, "insert") != NULL) {
        return make_change(run, json, CORM_INSERT, "insert",
                           " insert with set values rows conflict upsert upsertSet returning ");
    }
    if (get(json, "update") != NULL)
        return make_change(run, json, CORM_UPDATE, "update", " update with from set conflict where returning ");
    if (get(json, "delete") != NULL)
        return make_change(run, json, CORM_DELETE, "delete", " delete with where returning ");
    return make_select(run, json);
}

/* Compares SQL and bindings with those of `expect`; a binding that is a parameter is `{"parameter": name}`. */
static bool check_sql(step *s, const char *sql, const corm_value *values, size_t count) {
    json_t *expected = wanted(s, "bindings");
    const corm_value *listed;
    size_t listed_count;
    if (!check_text(s, "sql", sql))
        return false;
    if (expected == NULL)
        return true;
    if (json_is_object(expected)) {
        if (!parse_value_list(s->run, expected, &listed, &listed_count))
            return false;
        for (size_t index = 0; index < count && index < listed_count; index += 1) {
            if (!same_value(&listed[index], &values[index]))
                return fail(s->run, "binding %zu is another", index);
        }
        return listed_count == count || fail(s->run, "expected %zu bindings, found %zu", listed_count, count);
    }
    if (json_array_size(expected) != count)
        return fail(s->run, "expected %zu bindings, found %zu: %s", json_array_size(expected), count, sql);
    for (size_t index = 0; index < count; index += 1) {
        json_t *item = json_array_get(expected, index);
        const char *parameter = string(item, "parameter");
        const char *name = values[index].name;
        if ((parameter == NULL) != (name == NULL) || (name != NULL && strcmp(parameter, name) != 0))
            return fail(s->run, "binding %zu is %s%s", index, name == NULL ? "no parameter" : "parameter ",
                        name ? name : "");
        if (name == NULL && !check_value(s->run, "a binding", item, &values[index]))
            return false;
    }
    return true;
}

bool parse_statement(step *s) {
    json_t *json = member(s, "statement");
    const char *sql;
    const corm_value *values;
    size_t count;
    if (json == NULL)
        return true;
    s->statement = make_statement(s->run, json);
    if (s->run->failed)
        return false;
    s->status = corm_statement_sql(s->statement, s->run->arena, &sql, &values, &count, &s->run->error);
    if (s->status >= 0)
        return check_sql(s, sql, values, count);
    // The step's own call gives the same error.
    corm_error_free(s->run->error);
    s->run->error = NULL;
    return true;
}

bool step_expression(step *s) {
    corm_expr *expression = make_expression(s->run, member(s, "expression"));
    const char *sql;
    const corm_value *values;
    size_t count;
    if (s->run->failed)
        return false;
    s->status = corm_expr_sql(expression, s->run->arena, &sql, &values, &count, &s->run->error);
    corm_expr_free(expression);
    return s->status < 0 || check_sql(s, sql, values, count);
}

bool step_explain(step *s) {
    const char *tree;
    s->status = corm_statement_explain(s->run->database, s->statement, s->run->arena, &tree, &s->run->error);
    return s->status < 0 || check_contains(s, tree);
}
