/* Relations: how the records of one model belong to those of another. */
#ifndef CORMORANT_RELATION_H
#define CORMORANT_RELATION_H

#include "query.h"

CORM_BEGIN_DECLS

/* corm_relation_def.kind */
typedef int32_t corm_relation_kind;
#define CORM_TO_ONE 1       /* the foreign key is here: an album's artist */
#define CORM_TO_MANY 2      /* the foreign key is there: an artist's albums */
#define CORM_MANY_TO_MANY 3 /* through a junction model with foreign keys to both: a playlist's tracks */

/*
 * A relation of a model. Its columns are those of the one foreign key that a model declares to the other's table; where
 * there are several, or none, they are named here. All is copied; the models must live while the relation is used.
 */
typedef struct corm_relation_def {
    uint32_t struct_size;
    /* What it is called: "albums". */
    const char *name;
    corm_relation_kind kind;
    /* The model it leads to; it may be the relation's own. */
    const corm_model *target;
    /* CORM_MANY_TO_MANY: the model of the junction table. */
    const corm_model *junction CORM_ZERO;
    /* A list of the foreign key's properties (value.h): CORM_TO_ONE of this model, CORM_TO_MANY of the target,
       CORM_MANY_TO_MANY of the junction to this model. NULL: the only foreign key that fits. */
    const char *columns CORM_ZERO;
    /* CORM_MANY_TO_MANY: a list of the junction's properties to the target. NULL: the only foreign key that fits. */
    const char *target_columns CORM_ZERO;
} corm_relation_def;

#define CORM_RELATION_DEF_INIT CORM_INIT_(corm_relation_def)
/* CORM_RELATION_DEF(.name = "albums", .kind = CORM_TO_MANY, .target = album): a pointer to a definition. */
#define CORM_RELATION_DEF(...) CORM_STRUCT_(corm_relation_def, __VA_ARGS__)

/*
 * Adds a relation to a model; the other models' tables must exist as models, not in a file. Call it before the model is
 * used by other threads.
 *
 * Statuses: CORM_E_MODEL with a message that says what to change: a name that is taken, no foreign key that fits, more
 * than one.
 */
corm_status corm_relation_add(corm_model *model, const corm_relation_def *definition, corm_error **out_error);

/* A relation of a model (corm_model_info.relations). It grows at its end only: take it by the pointer that is given. */
typedef struct corm_relation_info {
    const char *name;
    corm_relation_kind kind;
    /* The model it leads to; NULL where that is freed. */
    const corm_model *target;
} corm_relation_info;

/*
 * Whether any related record meets a condition (NULL: whether there is any); NOT of it is "none". In the condition the
 * target's columns are corm_expr_column(target, ...), also in a relation of a model to itself. relation: also a path,
 * "loans.copy.book"; the target is that of its last. condition: consumed.
 * Returns: owned.
 */
corm_expr *corm_relation_exists(const corm_model *model, const char *alias, const char *relation, corm_expr *condition);
/* The same of a struct with a model, without alias: CORM_EXISTS(loan, "copy.book", CORM_EQ(...)). */
#define CORM_EXISTS(record, relation, condition) corm_relation_exists(record##_model, NULL, relation, condition)

/*
 * Whether a record is the related one, or one of them. relation: with dots, at the end of to-one relations. record: a struct of
 * the relation's target that has its key, borrowed until return; NULL: whether a relation to one leads to none. Returns: owned.
 */
corm_expr *corm_relation_is(const corm_model *model, const char *alias, const char *relation, const void *record);

/*
 * An aggregate over the related records: function "count" (property NULL), "sum", "max", ... over those that meet a
 * condition (NULL: all). condition: consumed. Returns: owned.
 */
corm_expr *corm_relation_aggregate(const corm_model *model, const char *alias, const char *relation,
                                   const char *function, const char *property, corm_expr *condition);

/*
 * Joins a statement along a relation of the model that it reads from, or of one that it joined; or along a path, "copy.book", the
 * tables between under their own names. kind: CORM_JOIN_INNER or CORM_JOIN_LEFT. from: that model's alias or table name; NULL: the
 * first source. alias: for the last target; NULL: its table's name.
 */
void corm_statement_join_relation(corm_statement *statement, corm_join kind, const char *from, const char *relation,
                                  const char *alias);

/* Which related records are loaded. Zero everywhere (or NULL): all, in no promised order. All borrowed until return. */
typedef struct corm_load_options {
    uint32_t struct_size;
    /* A condition on the target's columns. */
    const corm_expr *condition CORM_ZERO;
    /* A list of the target's properties (value.h); "-" in front means descending. */
    const char *order_by CORM_ZERO;
    /* The greatest number for each record; 0: all; CORM_LIMIT_NO_ROWS: none. */
    int64_t limit CORM_ZERO;
} corm_load_options;

#define CORM_LOAD_OPTIONS_INIT CORM_INIT_(corm_load_options)
/* CORM_LOAD(.order_by = "title"): a pointer to options. */
#define CORM_LOAD(...) CORM_STRUCT_(corm_load_options, __VA_ARGS__)

/* Related records of an array of records, by position in that array. Threading: one thread at a time. */
typedef struct corm_related corm_related;

/*
 * Loads the related records of `count` records side by side, with one statement however many they are. What was not
 * loaded has no corm_related, so it cannot be taken for an empty list. A path, "loans.copy.book", loads a level for each of its
 * relations: the first is out_related, the next for all records of that one is its corm_related_next.
 *
 * records     structs of model, borrowed until return. Relations that lead to one give one record, or none.
 * options     of the first level, borrowed until return; NULL: all.
 * out_related owned (corm_related_free).
 * Statuses: CORM_E_MISUSE (no such relation; the message lists the nearest names), and those of corm_query_fetch.
 * Threading: any thread.
 */
corm_status corm_relation_load(corm_database *database, const corm_model *model, const char *relation,
                               const void *records, size_t count, const corm_load_options *options,
                               corm_related **out_related, corm_error **out_error);

/*
 * The related records of the record at a position, side by side: cast it to the target's struct. A record that belongs
 * to several is there for each.
 *
 * out_count how many; 0 out of range or for a bad handle. NULL accepted.
 * Returns: borrowed until corm_related_free; NULL for none.
 */
void *corm_related_get(const corm_related *related, size_t position, size_t *out_count);
/* All of them side by side, and how many. Returns: borrowed until corm_related_free; NULL for none. */
void *corm_related_all(const corm_related *related, size_t *out_count);
/*
 * The level below, whose positions are those of corm_related_all; NULL for none. Returns: borrowed until corm_related_free of the
 * first level, which frees all of them.
 */
corm_related *corm_related_next(const corm_related *related);
/* Frees the records and their texts. NULL and a second free are no-ops. */
void corm_related_free(corm_related *related);

/*
 * corm_save_level.removed: what happens to related rows that are not among the records given, once all are saved. What the call
 * saves as well, or relates by another level, stays.
 */
typedef int32_t corm_removed;
#define CORM_REMOVED_KEEP 0   /* they stay related */
#define CORM_REMOVED_DELETE 1 /* to-many: the rows are deleted; many-to-many: the rows of the junction */

/* Which record belongs to which owner: their positions, from 0. */
typedef struct corm_link {
    size_t owner;
    size_t record;
} corm_link;

/* Related records to save, those of one relation: a level, as corm_relation_load has them. */
typedef struct corm_save_level {
    uint32_t struct_size;
    /* CORM_REMOVED_ constant; of a relation to one: KEEP. */
    corm_removed removed CORM_ZERO;
    /* The relation, or the path to it, "copies.loans"; the level that it starts from, "copies", is given before it. */
    const char *relation CORM_ZERO;
    /* `count` structs of the relation's target, side by side; NULL where there are none. */
    void *records CORM_ZERO;
    size_t count CORM_ZERO;
    /*
     * Which of them belong to which records of the level above. CORM_TO_ONE: each owner has one at most, and without one its
     * foreign key stays as it is; CORM_TO_MANY: each record has one owner. NULL: each owner has as many as the others, in order:
     * of 6 records of 3 owners the first two, the next two, the last two.
     */
    const corm_link *links CORM_ZERO;
    size_t link_count CORM_ZERO;
} corm_save_level;

#define CORM_SAVE_LEVEL_INIT CORM_INIT_(corm_save_level)
/* CORM_LEVEL(.relation = "copies", .records = copies, .count = 6): one level, in C. */
#define CORM_LEVEL(...) {.struct_size = sizeof(corm_save_level), __VA_ARGS__}
/* CORM_LEVELS(CORM_LEVEL(...), CORM_LEVEL(...)): an array of levels and its count, two arguments. */
#define CORM_LEVELS(...) CORM_ARRAY_(corm_save_level, __VA_ARGS__), CORM_COUNT_(corm_save_level, __VA_ARGS__)
/* CORM_LINKS({0, 0}, {0, 1}) in CORM_LEVEL gives its links. */
#define CORM_LINKS(...) .links = CORM_ARRAY_(corm_link, __VA_ARGS__), .link_count = CORM_COUNT_(corm_link, __VA_ARGS__)

/*
 * Saves records together with related ones, any number of levels, in one transaction: what the foreign keys need first goes first,
 * keys are filled in and passed on, rows that are there are updated.
 *
 *     corm_relation_save(db, CORM_OF(book, books), 3,
 *                        CORM_LEVELS(CORM_LEVEL(.relation = "copies", .records = copies, .count = 6),
 *                                    CORM_LEVEL(.relation = "copies.loans", .records = loans, .count = 2,
 *                                               CORM_LINKS({0, 0}, {4, 1}))),
 *                        arena, &error);
 *
 * records `count` structs of the model, side by side; their foreign keys, and those of the levels' records, are set.
 * levels  borrowed until return; the first says how long each is.
 * arena   as in record.h; also where a foreign key that is a text or blob is to be set, unless the record has that value already.
 * Statuses: those of corm_record_save; corm_error_info.record_index says which record of its array failed, and the table of which
 * level. CORM_E_MISUSE also for levels and links that do not fit. Nothing stays of a failure, in the file or in the records.
 */
corm_status corm_relation_save(corm_database *database, const corm_model *model, void *records, size_t count,
                               const corm_save_level *levels, size_t level_count, corm_arena *arena,
                               corm_error **out_error);

CORM_END_DECLS

#endif
