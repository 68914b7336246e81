/* Statements made of what is wrong: the first use says so, nothing crashes and nothing leaks. */
#include "statements.h"

#include <string.h>

static corm_statement *kind(int32_t number) { return corm_statement_create(number, people, NULL); }

/* Calls every setter with `s`, which is no statement; what they are given is consumed all the same. */
static void set_everything(corm_statement *s) {
    corm_statement_from(s, CORM_SOURCE(.model = people));
    corm_statement_from(s, CORM_SOURCE(.select = select_from(pets), .alias = "x"));
    corm_statement_join(s, CORM_JOIN_LEFT, CORM_SOURCE(.select = select_from(pets), .alias = "x"), number(1));
    corm_statement_add(s, CORM_CLAUSE_WHERE, number(1));
    corm_statement_distinct(s);
    corm_statement_compound(s, CORM_UNION, select_from(pets));
    corm_statement_with(s, "x", NULL, select_from(pets));
    corm_statement_after(s, CORM_VALUES(corm_value_int64(1)));
    corm_statement_set(s, "age", number(1));
    corm_statement_insert_select(s, "age", select_from(pets));
    corm_statement_conflict(s, CORM_CONFLICT_IGNORE);
    corm_statement_upsert(s, NULL);
    corm_statement_upsert_set(s, "age", number(1));
    corm_statement_join_relation(s, CORM_JOIN_LEFT, NULL, "owner", NULL);
}

static void use_everything(corm_statement *s) {
    corm_arena *arena = corm_arena_create();
    corm_result *result = NULL;
    const char *text = NULL;
    GIVES(CORM_E_MISUSE, corm_statement_sql(s, arena, &text, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_statement_execute(db, s, CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_result_open_statement(db, s, CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_E_MISUSE, corm_statement_explain(db, s, arena, &text, &failure));
    EXPRESSION_FAILS(CORM_E_MISUSE, "statement", corm_expr_exists(s));
    EXPRESSION_FAILS(CORM_E_MISUSE, "statement", corm_expr_select(s));
    EXPRESSION_FAILS(CORM_E_MISUSE, "statement", corm_expr_in_select(number(1), s));
    STATEMENT_FAILS(CORM_E_MISUSE, "statement", corm_statement_copy(s));
    assert_null(result);
    assert_null(text);
    corm_arena_free(arena);
}

static void null_freed_and_other_handles(void **state) {
    (void)state;
    corm_statement *freed = select_from(people);
    corm_expr *other = number(1);
    corm_statement_free(freed);
    corm_statement_free(freed);
    corm_statement_free(NULL);
    corm_statement *none[] = {NULL, freed, (corm_statement *)people, (corm_statement *)db, (corm_statement *)other};
    for (size_t index = 0; index < sizeof none / sizeof *none; index += 1) {
        set_everything(none[index]);
        use_everything(none[index]);
        corm_statement_free(none[index]);
    }
    VALUES(other, "?", "1", "1");
    corm_database *bad = (corm_database *)people;
    corm_statement *good = select_from(people);
    corm_result *result = NULL;
    GIVES(CORM_E_MISUSE, corm_result_open_statement(bad, good, CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_E_MISUSE, corm_result_open_statement(NULL, good, CORM_NO_VALUES, &result, &failure));
    GIVES(CORM_E_MISUSE, corm_result_open_statement(db, good, CORM_NO_VALUES, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_statement_execute(NULL, good, CORM_NO_VALUES, NULL, &failure));
    /* finding c.md 12: it said CORM_OK and dropped the rows. */
    GIVES(CORM_E_MISUSE, corm_statement_execute(db, good, CORM_NO_VALUES, NULL, &failure));
    assert_non_null(strstr(corm_error_message(failure), "rows"));
    corm_arena *arena = corm_arena_create();
    const char *tree;
    GIVES(CORM_E_MISUSE, corm_statement_explain(db, good, arena, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_statement_explain(db, good, NULL, &tree, &failure));
    GIVES(CORM_E_MISUSE, corm_statement_explain(NULL, good, arena, &tree, &failure));
    corm_arena_free(arena);
    corm_statement_free(good);
}

static void the_first_wrong_step_stays_the_error(void **state) {
    (void)state;
    corm_statement *wrong = kind(CORM_INSERT);
    corm_statement_set(wrong, "agee", number(1));
    set_everything(wrong);
    STATEMENT_FAILS(CORM_E_MISUSE, "did you mean age?", corm_statement_copy(wrong));
    EXPRESSION_FAILS(CORM_E_MISUSE, "did you mean age?", corm_expr_exists(wrong));
    STATEMENT_FAILS(CORM_E_MISUSE, "statement", wrong);
}

static void kinds_and_models(void **state) {
    (void)state;
    STATEMENT_FAILS(CORM_E_MISUSE, "kind", kind(0));
    STATEMENT_FAILS(CORM_E_MISUSE, "kind", kind(5));
    for (int32_t number_of = CORM_INSERT; number_of <= CORM_DELETE; number_of += 1) {
        STATEMENT_FAILS(CORM_E_MISUSE, "model", corm_statement_create(number_of, NULL, NULL));
        STATEMENT_FAILS(CORM_E_MISUSE, "alias", corm_statement_create(number_of, people, "p"));
    }
    STATEMENT_FAILS(CORM_E_MISUSE, "model", corm_statement_create(CORM_SELECT, (corm_model *)db, NULL));
    STATEMENT_FAILS(CORM_E_ENCODING, "UTF-8", corm_statement_create(CORM_SELECT, people, "\xff"));
}

static void clauses_of_another_kind_of_statement(void **state) {
    (void)state;
    static const int32_t select_only[] = {CORM_CLAUSE_COLUMN,   CORM_CLAUSE_GROUP_BY, CORM_CLAUSE_HAVING,
                                          CORM_CLAUSE_ORDER_BY, CORM_CLAUSE_LIMIT,    CORM_CLAUSE_OFFSET};
    for (size_t index = 0; index < sizeof select_only / sizeof *select_only; index += 1) {
        corm_statement *wrong = kind(CORM_UPDATE);
        corm_statement_add(wrong, select_only[index], number(1));
        STATEMENT_FAILS(CORM_E_MISUSE, "clause", wrong);
    }
    static const int32_t no_clause[] = {0, -1, CORM_CLAUSE_RETURNING, 9, 100};
    for (size_t index = 0; index < sizeof no_clause / sizeof *no_clause; index += 1) {
        corm_statement *wrong = select_from(people);
        corm_statement_add(wrong, no_clause[index], number(1));
        STATEMENT_FAILS(CORM_E_MISUSE, "clause", wrong);
    }
    corm_statement *wrong = kind(CORM_DELETE);
    corm_statement_set(wrong, "age", number(1));
    STATEMENT_FAILS(CORM_E_MISUSE, "DELETE", wrong);
    wrong = select_from(people);
    corm_statement_set(wrong, "age", number(1));
    STATEMENT_FAILS(CORM_E_MISUSE, "INSERT, UPDATE or DELETE", wrong);
    wrong = kind(CORM_UPDATE);
    corm_statement_insert_select(wrong, "age", with_column(select_nothing(), number(1)));
    STATEMENT_FAILS(CORM_E_MISUSE, "INSERT", wrong);
    wrong = kind(CORM_UPDATE);
    corm_statement_distinct(wrong);
    STATEMENT_FAILS(CORM_E_MISUSE, "SELECT", wrong);
    wrong = kind(CORM_INSERT);
    corm_statement_set(wrong, "name", text("x"));
    where(wrong, number(1));
    STATEMENT_FAILS(CORM_E_MISUSE, "", wrong);
    wrong = kind(CORM_INSERT);
    corm_statement_conflict(wrong, 5);
    STATEMENT_FAILS(CORM_E_MISUSE, "CORM_CONFLICT_", wrong);
    wrong = kind(CORM_DELETE);
    corm_statement_conflict(wrong, CORM_CONFLICT_IGNORE);
    STATEMENT_FAILS(CORM_E_MISUSE, "DELETE", wrong);
    wrong = select_from(people);
    corm_statement_compound(wrong, 4, with_column(select_nothing(), number(1)));
    STATEMENT_FAILS(CORM_E_MISUSE, "CORM_UNION", wrong);
    wrong = kind(CORM_INSERT);
    corm_statement_set(wrong, "age", number(1));
    corm_statement_insert_select(wrong, "name", with_column(select_nothing(), text("x")));
    STATEMENT_FAILS(CORM_E_MISUSE, "", wrong);
}

/* An insert of a pet that is updated by `property` when there is one of these `keys` already. */
static corm_statement *upsert(const char *keys, const char *property, corm_expr *value) {
    corm_statement *insert = corm_statement_create(CORM_INSERT, pets, NULL);
    corm_statement_set(insert, "name", text("Max"));
    corm_statement_upsert(insert, keys);
    corm_statement_upsert_set(insert, property, value);
    return insert;
}

static void upserts_that_cannot_be(void **state) {
    (void)state;
    corm_statement *wrong = corm_statement_create(CORM_INSERT, pets, NULL);
    corm_statement_upsert_set(wrong, "weight", number(1));
    STATEMENT_FAILS(CORM_E_MISUSE, "corm_statement_upsert", wrong);
    STATEMENT_FAILS(CORM_E_MISUSE, "name the properties of the key", upsert(NULL, "weight", number(1)));
    STATEMENT_FAILS(CORM_E_MISUSE, "did you mean name?", upsert("id, kname", "weight", number(1)));
    STATEMENT_FAILS(CORM_E_TYPE, "Pet.weight", upsert("id", "weight", text("x")));
    wrong = kind(CORM_UPDATE);
    corm_statement_upsert(wrong, "id");
    STATEMENT_FAILS(CORM_E_MISUSE, "INSERT", wrong);
}

static void statements_that_write_are_no_subqueries(void **state) {
    (void)state;
    EXPRESSION_FAILS(CORM_E_MISUSE, "use a SELECT", corm_expr_exists(kind(CORM_DELETE)));
    EXPRESSION_FAILS(CORM_E_MISUSE, "use a SELECT", corm_expr_in_select(number(1), kind(CORM_UPDATE)));
    corm_statement *wrong = select_nothing();
    corm_statement_from(wrong, CORM_SOURCE(.select = kind(CORM_DELETE)));
    STATEMENT_FAILS(CORM_E_MISUSE, "use a SELECT", wrong);
    wrong = select_from(people);
    corm_statement_compound(wrong, CORM_UNION, kind(CORM_INSERT));
    STATEMENT_FAILS(CORM_E_MISUSE, "use a SELECT", wrong);
}

/* They were taken for the first part's, or for the whole's. */
static void what_is_ambiguous_beside_a_union(void **state) {
    (void)state;
    corm_statement *wrong = select_from(people);
    corm_statement_compound(wrong, CORM_UNION_ALL, select_from(people));
    STATEMENT_FAILS(CORM_E_MISUSE, "before they are combined", where(wrong, number(1)));
    wrong = select_from(people);
    corm_statement_compound(wrong, CORM_UNION_ALL, select_from(people));
    corm_statement_distinct(wrong);
    STATEMENT_FAILS(CORM_E_MISUSE, "before they are combined", wrong);
    wrong = ordered_by(select_from(people), column("id"));
    corm_statement_compound(wrong, CORM_UNION_ALL, select_from(people));
    STATEMENT_FAILS(CORM_E_MISUSE, "after they are combined", wrong);
}

static void consumed_by_two_statements(void **state) {
    (void)state;
    corm_statement *inner = with_column(select_from(pets), pet_column("owner_id"));
    corm_expr *first = corm_expr_in_select(column("id"), inner);
    EXPRESSION_FAILS(CORM_E_MISUSE, "corm_statement_copy", corm_expr_in_select(column("id"), inner));
    corm_statement_free(inner);
    corm_statement *second = select_nothing();
    corm_statement_from(second, CORM_SOURCE(.select = inner));
    STATEMENT_FAILS(CORM_E_MISUSE, "corm_statement_copy", second);
    corm_statement *owners = ordered_by(where(with_column(select_from(people), column("id")), first), column("id"));
    SELECTS(owners,
            "SELECT \"id\" FROM \"person\" WHERE \"id\" IN (SELECT \"pet\".\"owner_id\" FROM \"pet\") ORDER BY \"id\"",
            "", "1; 4; 5");
    corm_statement *itself = select_from(people);
    corm_statement_compound(itself, CORM_UNION, itself);
    STATEMENT_FAILS(CORM_E_MISUSE, "", itself);
}

/* Of a newer header, with a member that this library does not know; and a source whose SELECT is wrong. */
static void what_a_refused_struct_holds_is_consumed(void **state) {
    (void)state;
    corm_expr *parts[] = {column("id"), NULL, number(1), number(2), column("name"), column("age"), NULL};
    struct {
        corm_select known;
        int64_t added;
    } select = {
        .known = {sizeof select, parts, parts[2], &parts[1], parts[3], &parts[4], 0, 0},
        .added = 1,
    };
    STATEMENT_FAILS(CORM_E_MISUSE, "does not know", corm_statement_select(people, &select.known));
    for (size_t index = 0; index < sizeof parts / sizeof *parts; index += 1)
        if (parts[index])
            EXPRESSION_FAILS(CORM_E_MISUSE, "consumed", corm_expr_copy(parts[index]));

    struct {
        corm_source known;
        int64_t added;
    } source = {.known = {.struct_size = sizeof source, .select = select_from(pets), .alias = "x"}, .added = 1};
    corm_statement *from = select_nothing();
    corm_statement_from(from, &source.known);
    STATEMENT_FAILS(CORM_E_MISUSE, "does not know", from);
    STATEMENT_FAILS(CORM_E_MISUSE, "consumed", corm_statement_copy(source.known.select));

    corm_expr *argument = number(1);
    from = select_nothing();
    corm_statement_from(from, CORM_SOURCE(.select = corm_statement_create(CORM_DELETE, pets, NULL),
                                          .function = "json_each", .arguments = &argument, .argument_count = 1));
    STATEMENT_FAILS(CORM_E_MISUSE, "", from);
    EXPRESSION_FAILS(CORM_E_MISUSE, "consumed", corm_expr_copy(argument));
}

static void ten_thousand_statements_inside_one_another(void **state) {
    (void)state;
    corm_statement *deep = with_column(select_nothing(), number(1));
    for (int level = 0; level < 10000; level += 1) {
        corm_statement *outer = select_nothing();
        corm_statement_from(outer, CORM_SOURCE(.select = deep));
        deep = outer;
    }
    STATEMENT_FAILS(CORM_E_MISUSE, "deep", deep);
    deep = with_column(select_nothing(), number(1));
    for (int level = 0; level < 10000; level += 1) {
        corm_statement *outer = with_column(select_nothing(), number(1));
        corm_statement_compound(outer, CORM_UNION, deep);
        deep = outer;
    }
    STATEMENT_FAILS(CORM_E_MISUSE, "deep", deep);
    deep = with_column(select_nothing(), number(1));
    for (int level = 0; level < 10000; level += 1)
        deep = with_column(select_nothing(), corm_expr_select(deep));
    STATEMENT_FAILS(CORM_E_MISUSE, "deep", deep);
    deep = with_column(select_nothing(), number(1));
    for (int level = 0; level < 10000; level += 1) {
        corm_statement *outer = with_column(select_nothing(), number(1));
        corm_statement_with(outer, "x", NULL, deep);
        deep = outer;
    }
    STATEMENT_FAILS(CORM_E_MISUSE, "deep", deep);
}

static void missing_names_and_arrays(void **state) {
    (void)state;
    corm_statement *wrong = select_from(people);
    corm_statement_with(wrong, NULL, NULL, select_from(pets));
    STATEMENT_FAILS(CORM_E_MISUSE, "NULL", wrong);
    wrong = select_from(people);
    corm_statement_with(wrong, "x", "\"a", select_from(pets));
    STATEMENT_FAILS(CORM_E_MISUSE, "has a quote without end at byte 0", wrong);
    wrong = select_from(people);
    corm_statement_with(wrong, "x", NULL, NULL);
    STATEMENT_FAILS(CORM_E_MISUSE, "NULL", wrong);
    wrong = ordered_by(select_from(people), column("id"));
    corm_statement_after(wrong, NULL, 1);
    STATEMENT_FAILS(CORM_E_MISUSE, "NULL", wrong);
    wrong = kind(CORM_UPDATE);
    corm_statement_set(wrong, NULL, number(1));
    STATEMENT_FAILS(CORM_E_MISUSE, "NULL", wrong);
    wrong = kind(CORM_UPDATE);
    corm_statement_set(wrong, "age", NULL);
    STATEMENT_FAILS(CORM_E_MISUSE, "NULL", wrong);
    wrong = kind(CORM_INSERT);
    corm_statement_insert_select(wrong, "a,", select_from(pets));
    STATEMENT_FAILS(CORM_E_MISUSE, "lacks a name at byte 2: a,", wrong);
    wrong = kind(CORM_INSERT);
    corm_statement_upsert(wrong, "");
    STATEMENT_FAILS(CORM_E_MISUSE, "lacks a name", wrong);
    STATEMENT_FAILS(CORM_E_MISUSE, "NULL", where(select_from(people), NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(null_freed_and_other_handles),
        STATEMENT_TEST(the_first_wrong_step_stays_the_error),
        STATEMENT_TEST(kinds_and_models),
        STATEMENT_TEST(clauses_of_another_kind_of_statement),
        STATEMENT_TEST(upserts_that_cannot_be),
        STATEMENT_TEST(statements_that_write_are_no_subqueries),
        STATEMENT_TEST(what_is_ambiguous_beside_a_union),
        STATEMENT_TEST(consumed_by_two_statements),
        STATEMENT_TEST(what_a_refused_struct_holds_is_consumed),
        STATEMENT_TEST(ten_thousand_statements_inside_one_another),
        STATEMENT_TEST(missing_names_and_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
