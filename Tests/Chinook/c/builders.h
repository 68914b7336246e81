/* Short names for what the questions say most. Like the builders under them, they consume what they are given. */
#ifndef BUILDERS_H
#define BUILDERS_H

#include "models.h"

/* A column, also at the end of relations to one: column(tracks, "name"), column(tracks, "album.artist.name"). */
corm_expr *column(const corm_model *model, const char *path);
/* A column of a subquery or common table expression. */
corm_expr *name(const char *source, const char *column);
corm_expr *integer(int64_t value);
corm_expr *real(double value);
corm_expr *text(const char *value);

/* binary(column(tracks, "milliseconds"), CORM_OP_GREATER, integer(1000)) */
corm_expr *binary(corm_expr *left, int32_t operation, corm_expr *right);
corm_expr *equal(corm_expr *left, corm_expr *right);
corm_expr *no(corm_expr *condition);
/* Whether a record has related ones, and how many. condition: which; NULL: all. */
corm_expr *any_related(const corm_model *model, const char *relation, corm_expr *condition);
corm_expr *count_related(const corm_model *model, const char *relation, corm_expr *condition);

corm_expr *count_all(void);
corm_expr *rounded(corm_expr *number, int64_t digits);
corm_expr *descending(corm_expr *term);
#define OVER(call, partition, order) corm_expr_over(call, partition, order, NULL)
#define NONE NULL, 0

corm_statement *select_from(const corm_model *model);
/* A SELECT from a query, which it calls `alias`. */
corm_statement *select_from_query(corm_statement *query, const char *alias);
/* A SELECT from a common table expression. */
corm_statement *select_from_common(const char *name, corm_statement *query);

#define COLUMNS(select, ...) add(select, CORM_CLAUSE_COLUMN, CORM_EXPRS(__VA_ARGS__))
#define WHERE(select, ...) add(select, CORM_CLAUSE_WHERE, CORM_EXPRS(__VA_ARGS__))
#define GROUP_BY(select, ...) add(select, CORM_CLAUSE_GROUP_BY, CORM_EXPRS(__VA_ARGS__))
#define HAVING(select, ...) add(select, CORM_CLAUSE_HAVING, CORM_EXPRS(__VA_ARGS__))
#define ORDER_BY(select, ...) add(select, CORM_CLAUSE_ORDER_BY, CORM_EXPRS(__VA_ARGS__))
#define LIMIT(select, count) corm_statement_add(select, CORM_CLAUSE_LIMIT, integer(count))
void add(corm_statement *select, int32_t clause, corm_expr *const *expressions, size_t count);

/* The target of a relation, of the model that the SELECT reads from or of one that it joined. */
void join(corm_statement *select, const char *from, const char *relation);

#endif
