/* Expressions of scenario files, through the builders of expression.h and relation.h. */
#include "conformance.h"

#include <stdio.h>
#include <string.h>

typedef corm_expr *(*maker)(scenario *run, json_t *json);

static corm_expr *failed(scenario *run, const char *what) {
    fail(run, "%s", what);
    return NULL;
}

static json_t *get(json_t *json, const char *name) { return json_object_get(json, name); }
static const char *string(json_t *json, const char *name) { return json_string_value(get(json, name)); }

/* NULL where the member is missing, which is what optional arguments want. */
static corm_expr *optional(scenario *run, json_t *json) { return json == NULL ? NULL : make_expression(run, json); }

corm_expr **make_expressions(scenario *run, json_t *list, size_t *out_count) {
    corm_expr **made = allocate(run, json_array_size(list) * sizeof *made);
    size_t index;
    json_t *item;
    *out_count = json_array_size(list);
    json_array_foreach(list, index, item) made[index] = make_expression(run, item);
    return made;
}

/* "Person.boss.name" as the model, the names between, and the last one. */
static corm_model *split(scenario *run, const char *path, const char **out_rest) {
    char *part = allocate(run, path == NULL ? 0 : strlen(path));
    const dynamic_model *model;
    strcpy(part, path == NULL ? "" : path);
    char *dot = strchr(part, '.');
    if (dot == NULL) {
        fail(run, "\"%s\" is no model and property", part);
        return NULL;
    }
    *dot = '\0';
    model = find_model(run, part);
    *out_rest = dot + 1;
    return model == NULL ? NULL : model->model;
}

static corm_expr *column(scenario *run, json_t *json) {
    const char *property;
    const char *alias = string(json, "of");
    corm_model *model = split(run, string(json, "column"), &property);
    return alias == NULL ? corm_expr_column(model, property) : corm_expr_column_of(alias, model, property);
}

static corm_expr *related(scenario *run, json_t *json) {
    const char *relation;
    corm_model *model = split(run, string(json, "related"), &relation);
    return corm_relation_exists(model, string(json, "of"), relation, optional(run, get(json, "where")));
}

/* Of "Pet.owner" and a record, or null. */
static corm_expr *is_related(scenario *run, json_t *json) {
    const char *path;
    corm_model *model = split(run, string(json, "isRelated"), &path);
    json_t *given = get(json, "record");
    corm_value *record = NULL;
    if (given != NULL && !json_is_null(given)) {
        const dynamic_model *target = find_model(run, string(json, "model"));
        record = target == NULL ? NULL : allocate(run, target->column_count * sizeof *record);
        if (record == NULL || !parse_record(run, target, given, -1, record))
            return NULL;
    }
    return corm_relation_is(model, string(json, "of"), path, record);
}

static corm_expr *aggregate(scenario *run, json_t *json) {
    const char *relation;
    corm_model *model = split(run, string(json, "aggregate"), &relation);
    return corm_relation_aggregate(model, string(json, "of"), relation, string(json, "function"),
                                   string(json, "property"), optional(run, get(json, "where")));
}

static corm_expr *name(scenario *run, json_t *json) {
    (void)run;
    return corm_expr_name(string(json, "source"), string(json, "name"));
}

static corm_expr *value(scenario *run, json_t *json) {
    corm_value parsed;
    if (!parse_value(run, get(json, "value"), 0, &parsed))
        return NULL;
    corm_type type = column_type(string(json, "type"));
    return type == 0 ? corm_expr_value(parsed) : corm_expr_typed_value(parsed, type);
}

static corm_expr *parameter(scenario *run, json_t *json) {
    (void)run;
    return corm_expr_parameter(string(json, "parameter"));
}

static corm_expr *list(scenario *run, json_t *json) {
    json_t *all = get(json, "all");
    size_t count;
    corm_expr **parts = make_expressions(run, all == NULL ? get(json, "any") : all, &count);
    return all == NULL ? corm_expr_any(parts, count) : corm_expr_all(parts, count);
}

static corm_expr *between(scenario *run, json_t *json) {
    size_t count;
    corm_expr **parts = make_expressions(run, get(json, "between"), &count);
    return count == 3 ? corm_expr_between(parts[0], parts[1], parts[2]) : failed(run, "between takes three");
}

static corm_expr *row(scenario *run, json_t *json) {
    size_t count;
    corm_expr **parts = make_expressions(run, get(json, "row"), &count);
    return corm_expr_row(parts, count);
}

static corm_expr *in(scenario *run, json_t *json) {
    corm_expr *operand = make_expression(run, get(json, "in"));
    json_t *rows = get(json, "rows");
    const corm_value *values;
    size_t count;
    if (get(json, "select") != NULL)
        return corm_expr_in_select(operand, make_statement(run, get(json, "select")));
    if (get(json, "list") != NULL)
        return corm_expr_binary(CORM_OP_IN, operand, corm_expr_parameter(string(json, "list")));
    if (rows != NULL) {
        json_t *all = json_array();
        size_t index;
        json_t *item;
        json_array_foreach(rows, index, item) json_array_extend(all, item);
        bool parsed = parse_values(run, all, &values, &count);
        corm_expr *made = parsed ? corm_expr_in(operand, values, count) : NULL;
        json_decref(all);
        return made;
    }
    return parse_value_list(run, get(json, "values"), &values, &count) ? corm_expr_in(operand, values, count) : NULL;
}

static corm_expr *cases(scenario *run, json_t *json) {
    json_t *pairs = get(json, "case");
    size_t count = json_array_size(pairs);
    corm_expr **whens = allocate(run, count * sizeof *whens);
    corm_expr **thens = allocate(run, count * sizeof *thens);
    size_t index;
    json_t *pair;
    json_array_foreach(pairs, index, pair) {
        whens[index] = make_expression(run, json_array_get(pair, 0));
        thens[index] = make_expression(run, json_array_get(pair, 1));
    }
    return corm_expr_case(optional(run, get(json, "base")), whens, thens, count, optional(run, get(json, "otherwise")));
}

static corm_expr *cast(scenario *run, json_t *json) {
    return corm_expr_cast(make_expression(run, get(json, "cast")), column_type(string(json, "type")));
}

static corm_expr *collate(scenario *run, json_t *json) {
    return corm_expr_collate(make_expression(run, get(json, "collate")), string(json, "collation"));
}

static corm_expr *call(scenario *run, json_t *json) {
    json_t *over = get(json, "over");
    size_t count;
    size_t order_count;
    corm_expr **arguments = make_expressions(run, get(json, "arguments"), &count);
    corm_expr **terms = make_expressions(run, get(json, "orderBy"), &order_count);
    corm_expr **all = allocate(run, (count + order_count + 1) * sizeof *all);
    memcpy(all, arguments, count * sizeof *all);
    memcpy(all + count, terms, order_count * sizeof *all);
    corm_expr *made = corm_expr_call(string(json, "call"), all, count + order_count);
    if (json_is_true(get(json, "distinct")))
        made = corm_expr_distinct(made);
    if (get(json, "filter") != NULL)
        made = corm_expr_filter(made, make_expression(run, get(json, "filter")));
    if (over == NULL)
        return made;
    check_members(run, over, "over", " partitionBy orderBy frame ");
    corm_expr **partition = make_expressions(run, get(over, "partitionBy"), &count);
    corm_expr **order = make_expressions(run, get(over, "orderBy"), &order_count);
    return corm_expr_over(made, partition, count, order, order_count, string(over, "frame"));
}

static corm_expr *scalar(scenario *run, json_t *json) {
    return corm_expr_select(make_statement(run, get(json, "select")));
}

static corm_expr *exists(scenario *run, json_t *json) {
    return corm_expr_exists(make_statement(run, get(json, "exists")));
}

static corm_expr *raw(scenario *run, json_t *json) {
    const corm_value *values;
    size_t count;
    if (!parse_value_list(run, get(json, "values"), &values, &count))
        return NULL;
    return corm_expr_raw(string(json, "raw"), values, count);
}

static corm_expr *order(scenario *run, json_t *json) {
    static const char *const places[] = {"least", "first", "last"};
    int32_t nulls = find_name(run, string(json, "nulls"), places, 3);
    return corm_expr_order(make_expression(run, get(json, "order")), json_is_true(get(json, "descending")), nulls);
}

static corm_expr *labelled(scenario *run, json_t *json) {
    return corm_expr_as(make_expression(run, get(json, "as")), string(json, "name"));
}

/* The member that says what an expression is, and those that may stand beside it. */
static const struct {
    const char *kind;
    maker make;
    const char *others;
} kinds[] = {
    {"column", column, "of"},
    {"value", value, "type"},
    {"parameter", parameter, ""},
    {"all", list, ""},
    {"any", list, ""},
    {"between", between, ""},
    {"row", row, ""},
    {"in", in, "values select rows list"},
    {"case", cases, "base otherwise"},
    {"cast", cast, "type"},
    {"collate", collate, "collation"},
    {"call", call, "arguments distinct orderBy filter over"},
    {"select", scalar, ""},
    {"exists", exists, ""},
    {"raw", raw, "values"},
    {"order", order, "descending nulls"},
    {"as", labelled, "name"},
    {"related", related, "of where"},
    {"isRelated", is_related, "of model record"},
    {"aggregate", aggregate, "of function property where"},
    {"name", name, "source"},
};

static const struct {
    const char *name;
    int32_t operation;
} operators[] = {
    {"not", CORM_OP_NOT},
    {"negate", CORM_OP_NEGATE},
    {"bitNot", CORM_OP_BIT_NOT},
    {"isNull", CORM_OP_IS_NULL},
    {"isNotNull", CORM_OP_IS_NOT_NULL},
    {"equal", CORM_OP_EQUAL},
    {"notEqual", CORM_OP_NOT_EQUAL},
    {"less", CORM_OP_LESS},
    {"lessEqual", CORM_OP_LESS_EQUAL},
    {"greater", CORM_OP_GREATER},
    {"greaterEqual", CORM_OP_GREATER_EQUAL},
    {"is", CORM_OP_IS},
    {"isNot", CORM_OP_IS_NOT},
    {"add", CORM_OP_ADD},
    {"subtract", CORM_OP_SUBTRACT},
    {"multiply", CORM_OP_MULTIPLY},
    {"divide", CORM_OP_DIVIDE},
    {"remainder", CORM_OP_REMAINDER},
    {"concat", CORM_OP_CONCAT},
    {"bitAnd", CORM_OP_BIT_AND},
    {"bitOr", CORM_OP_BIT_OR},
    {"shiftLeft", CORM_OP_SHIFT_LEFT},
    {"shiftRight", CORM_OP_SHIFT_RIGHT},
    {"like", CORM_OP_LIKE},
    {"notLike", CORM_OP_NOT_LIKE},
    {"glob", CORM_OP_GLOB},
    {"notGlob", CORM_OP_NOT_GLOB},
    {"match", CORM_OP_MATCH},
    {"hasPrefix", CORM_OP_HAS_PREFIX},
    {"hasSuffix", CORM_OP_HAS_SUFFIX},
    {"contains", CORM_OP_CONTAINS},
    {"jsonAt", CORM_OP_JSON_AT},
    {"jsonValueAt", CORM_OP_JSON_VALUE_AT},
    {"regexp", CORM_OP_REGEXP},
};

corm_expr *make_expression(scenario *run, json_t *json) {
    for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index += 1) {
        char allowed[80];
        if (get(json, kinds[index].kind) == NULL)
            continue;
        snprintf(allowed, sizeof allowed, " %s %s ", kinds[index].kind, kinds[index].others);
        return check_members(run, json, kinds[index].kind, allowed) ? kinds[index].make(run, json) : NULL;
    }
    for (size_t index = 0; index < sizeof operators / sizeof *operators; index += 1) {
        json_t *operands = get(json, operators[index].name);
        if (operands == NULL)
            continue;
        if (json_object_size(json) != 1)
            return failed(run, "an operator has other members");
        if (operators[index].operation < CORM_OP_EQUAL)
            return corm_expr_unary(operators[index].operation, make_expression(run, operands));
        if (json_array_size(operands) != 2)
            return failed(run, "the operator takes two operands");
        corm_expr *left = make_expression(run, json_array_get(operands, 0));
        return corm_expr_binary(operators[index].operation, left, make_expression(run, json_array_get(operands, 1)));
    }
    return failed(run, "an expression is of no kind that is known");
}
