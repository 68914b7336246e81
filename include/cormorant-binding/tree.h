/*
 * Private (cormorant-binding.h). Statements as one block: a whole tree of expressions crosses in one call, in Python's
 * marshal format as in block.h. What expression.h and statement.h are to C programs, whose words these are.
 */
#ifndef CORMORANT_BINDING_TREE_H
#define CORMORANT_BINDING_TREE_H

#include "block.h"

CORM_BEGIN_DECLS

/*
 * An expression is a tuple whose first item says what it is. E: an expression; S: a statement; E? S? and so on: or None;
 * model: the bytes of the handle, which marshal writes of an object that holds the model; alias, name: str, or its bytes in
 * UTF-8, which marshal writes of an object that has more to say; values: None, int, float, str, bytes, bool.
 */
#define CORM_NODE_COLUMN 1     /* (1, model, alias?, property) */
#define CORM_NODE_NAME 2       /* (2, source?, name) */
#define CORM_NODE_VALUE 3      /* (3, value, type): type 0, or CORM_DATETIME and so on */
#define CORM_NODE_PARAMETER 4  /* (4, name) */
#define CORM_NODE_UNARY 5      /* (5, operation, E) */
#define CORM_NODE_BINARY 6     /* (6, operation, E, E) */
#define CORM_NODE_ALL 7        /* (7, [E]) */
#define CORM_NODE_ANY 8        /* (8, [E]) */
#define CORM_NODE_BETWEEN 9    /* (9, E, E, E) */
#define CORM_NODE_IN 10        /* (10, E, [value]) */
#define CORM_NODE_IN_SELECT 11 /* (11, E, S) */
#define CORM_NODE_CASE 12      /* (12, E?, [(E, E)], E?) */
#define CORM_NODE_CAST 13      /* (13, E, type) */
#define CORM_NODE_COLLATE 14   /* (14, E, name) */
#define CORM_NODE_CALL 15      /* (15, name, [E], distinct, filter E?, window?): window ([E], [E], frame?) */
#define CORM_NODE_SELECT 16    /* (16, S) */
#define CORM_NODE_EXISTS 17    /* (17, S) */
#define CORM_NODE_RAW 18       /* (18, sql, [value]) */
#define CORM_NODE_ORDER 19     /* (19, E, descending, nulls) */
#define CORM_NODE_AS 20        /* (20, E, name) */
#define CORM_NODE_PATH 21      /* (21, model, alias?, [relation], property): a path of to-one relations */
#define CORM_NODE_RELATED 22   /* (22, model, alias?, relation, E?): corm_relation_exists */
#define CORM_NODE_AGGREGATE 23 /* (23, model, alias?, relation, function, property?, E?): corm_relation_aggregate */
/* (24, model, alias?, [relation], [value]?): corm_relation_is, with the values of all columns of the record. */
#define CORM_NODE_IS_RELATED 24
#define CORM_NODE_ROW 25 /* (25, [E]): corm_expr_row */
/* (26, model, alias?, [relation], [[value]]): whether it is one of these, each as CORM_NODE_IS_RELATED has it. */
#define CORM_NODE_IS_RELATED_IN 26

/*
 * A statement is a tuple of its kind (CORM_SELECT and so on), its model (or None), its alias (or None) and a list of
 * what is said of it, in order, each a tuple:
 */
#define CORM_PART_FROM 1           /* (1, source): source (model?, S?, name?, alias?), of a function with [E] behind */
#define CORM_PART_JOIN 2           /* (2, kind, source, E?) */
#define CORM_PART_CLAUSE 3         /* (3, clause, E): corm_statement_add */
#define CORM_PART_DISTINCT 4       /* (4,) */
#define CORM_PART_COMPOUND 5       /* (5, operation, S) */
#define CORM_PART_WITH 6           /* (6, name, [name], S) */
#define CORM_PART_AFTER 7          /* (7, [value]) */
#define CORM_PART_SET 8            /* (8, property, E) */
#define CORM_PART_SELECT 9         /* (9, [property], S): corm_statement_insert_select */
#define CORM_PART_CONFLICT 10      /* (10, policy) */
#define CORM_PART_UPSERT 11        /* (11, [property]) */
#define CORM_PART_UPSERT_SET 12    /* (12, property, E) */
#define CORM_PART_JOIN_RELATION 13 /* (13, kind, from alias?, relation, alias?): corm_statement_join_relation */
#define CORM_PART_VALUES 14        /* (14, [property], [E]): corm_statement_values */

/*
 * Makes a statement of its tree.
 *
 * tree, size    borrowed until return.
 * out_statement owned (corm_statement_free).
 * Statuses: CORM_E_MISUSE for a tree that cannot be read. Threading: any thread.
 */
corm_status corm_tree_statement(const void *tree, size_t size, corm_statement **out_statement, corm_error **out_error);

/* Makes an expression of its tree, as above. out_expression: owned (corm_expr_free). */
corm_status corm_tree_expression(const void *tree, size_t size, corm_expr **out_expression, corm_error **out_error);

/*
 * corm_statement_sql and corm_expr_sql into a block: a tuple (sql, tuple of values), where a parameter's value is a tuple of its
 * name.
 */
corm_status corm_tree_statement_sql(const corm_statement *statement, corm_block *block, corm_error **out_error);
corm_status corm_tree_expression_sql(const corm_expr *expression, corm_block *block, corm_error **out_error);

/*
 * The result of a statement, which corm_block_next reads.
 *
 * model      NULL: rows as they come. Else its records, as corm_query.statement has it.
 * parameters a marshalled dict, of values and lists of them (corm_value_list); NULL: none. Borrowed until return.
 * out_result owned (corm_result_close).
 */
corm_status corm_tree_open(corm_database *database, const corm_model *model, const corm_statement *statement,
                           const void *parameters, size_t size, corm_result **out_result, corm_error **out_error);

/*
 * The same, with rows in parts: several records in each, and values beside them.
 *
 * parts a marshalled list, an item for each part of a row in the order of its result columns: None for one value as it comes; an
 *       int for one of a type (CORM_INT64 ..., below 0 where it is unsigned) or NULL, which comes as records have it;
 *       (model, is_optional) for a record, whose columns stand there side by side in the order of its model. A record is a
 *       tuple of its own; None where it is optional and an outer join found none: where its key, or all of it, is NULL.
 *       Borrowed until return.
 * Statuses also: CORM_E_MISUSE for parts that are not those of the result; CORM_E_NULL_VALUE, when rows are read, for a record
 * that is not optional and was not found.
 */
corm_status corm_tree_open_parts(corm_database *database, const void *parts, size_t parts_size,
                                 const corm_statement *statement, const void *parameters, size_t size,
                                 corm_result **out_result, corm_error **out_error);

/* corm_statement_execute with marshalled parameters. */
corm_status corm_tree_execute(corm_database *database, const corm_statement *statement, const void *parameters,
                              size_t size, int64_t *out_changes, corm_error **out_error);

/* corm_query_count and corm_query_exists of a SELECT. exists: out_count is 0 or 1. */
corm_status corm_tree_count(corm_database *database, const corm_statement *statement, const void *parameters,
                            size_t size, int64_t *out_count, corm_error **out_error);
corm_status corm_tree_exists(corm_database *database, const corm_statement *statement, const void *parameters,
                             size_t size, int64_t *out_count, corm_error **out_error);

/*
 * corm_relation_load for records of other languages.
 *
 * keys       a marshalled list with a tuple for each record: its properties that corm_tree_relation_columns names.
 * options    a marshalled tuple (condition E?, order [E], limit; 0: all); NULL: all.
 * block      gets a tuple: the list of related rows, and a tuple of pairs of ints after each other: the position of a
 *            record in keys, and that of a row that belongs to it.
 * Statuses: as corm_relation_load.
 */
corm_status corm_tree_load(corm_database *database, const corm_model *model, const char *relation, const void *keys,
                           size_t size, const void *options, size_t options_size, corm_block *block,
                           corm_error **out_error);

/*
 * The properties that make up a relation; block gets a tuple of tuples of names: of the record; of the related record
 * (those its foreign key, or the junction's, has or refers to, in the same order).
 */
corm_status corm_tree_relation_columns(const corm_model *model, const char *relation, corm_block *block,
                                       corm_error **out_error);

/*
 * What is left of corm_relation_save once the records are saved: CORM_MANY_TO_MANY: the rows of the junction;
 * CORM_REMOVED_DELETE as there. Run it in the transaction that saved them.
 *
 * models     of each list the model of its owner; behind them the models of records that were saved
 * lists      a marshalled tuple of two lists of tuples: the name of a relation to many, the owner's key, as in corm_tree_load,
 *            and a list of those of the related records, CORM_TO_MANY: their primary keys, CORM_MANY_TO_MANY: what
 *            corm_tree_relation_columns names; and of records that were saved the names of properties, and a list of tuples of
 *            their values: all of their keys and foreign keys.
 */
corm_status corm_tree_relate(corm_database *database, const corm_model *const *models, size_t count, const void *lists,
                             size_t size, int32_t removed, corm_error **out_error);

CORM_END_DECLS

#endif
