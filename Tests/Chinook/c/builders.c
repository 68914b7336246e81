#include "builders.h"

#include <stdio.h>
#include <string.h>

corm_expr *column(const corm_model *model, const char *path) { return corm_expr_column(model, path); }

corm_expr *name(const char *source, const char *column) { return corm_expr_name(source, column); }
corm_expr *integer(int64_t value) { return corm_expr_value(corm_value_int64(value)); }
corm_expr *real(double value) { return corm_expr_value(corm_value_double(value)); }
corm_expr *text(const char *value) { return corm_expr_value(corm_value_text(value)); }

corm_expr *binary(corm_expr *left, int32_t operation, corm_expr *right) {
    return corm_expr_binary(operation, left, right);
}
corm_expr *equal(corm_expr *left, corm_expr *right) { return corm_expr_binary(CORM_OP_EQUAL, left, right); }
corm_expr *no(corm_expr *condition) { return corm_expr_unary(CORM_OP_NOT, condition); }

corm_expr *any_related(const corm_model *model, const char *relation, corm_expr *condition) {
    return corm_relation_exists(model, NULL, relation, condition);
}

corm_expr *count_related(const corm_model *model, const char *relation, corm_expr *condition) {
    return corm_relation_aggregate(model, NULL, relation, "count", NULL, condition);
}

corm_expr *count_all(void) { return corm_expr_call("count", NONE); }
corm_expr *rounded(corm_expr *number, int64_t digits) { return CORM_CALL("round", number, integer(digits)); }
corm_expr *descending(corm_expr *term) { return corm_expr_order(term, true, CORM_NULLS_LEAST); }

corm_statement *select_from(const corm_model *model) { return corm_statement_create(CORM_SELECT, model, NULL); }

corm_statement *select_from_query(corm_statement *query, const char *alias) {
    corm_statement *select = corm_statement_create(CORM_SELECT, NULL, NULL);
    corm_statement_from(select, CORM_SOURCE(.select = query, .alias = alias));
    return select;
}

corm_statement *select_from_common(const char *name, corm_statement *query) {
    corm_statement *select = corm_statement_create(CORM_SELECT, NULL, NULL);
    corm_statement_with(select, name, NULL, query);
    corm_statement_from(select, CORM_SOURCE(.name = name));
    return select;
}

void add(corm_statement *select, int32_t clause, corm_expr *const *expressions, size_t count) {
    for (size_t i = 0; i < count; i += 1)
        corm_statement_add(select, clause, expressions[i]);
}

void join(corm_statement *select, const char *from, const char *relation) {
    corm_statement_join_relation(select, CORM_JOIN_INNER, from, relation, NULL);
}
