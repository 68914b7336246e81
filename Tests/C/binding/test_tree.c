/* Statements as one block: the same as those of the builders, and blocks that are none. */
#include "marshal.h"
#include "relations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static marshalled tree;
static corm_block block;

static int set_up_tree(void **state) {
    memset(&tree, 0, sizeof tree);
    memset(&block, 0, sizeof block);
    return set_up_relations(state);
}

static int tear_down_tree(void **state) {
    corm_block_free(&block);
    return tear_down_relations(state);
}
#define TREE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_tree, tear_down_tree)

static const char *put_item(const char *text);

/* A tuple or list, whose count is known at its end. */
static const char *put_sequence(const char *text) {
    char close = *text == '(' ? ')' : ']';
    size_t start = tree.size;
    int32_t count = 0;
    if (*text++ == '(')
        put_tuple(&tree, 0);
    else
        put_list(&tree, 0);
    for (text += strspn(text, " "); *text != close; text += strspn(text, " "), count += 1)
        text = put_item(text);
    memcpy(tree.bytes + start + 1, &count, 4);
    return text + 1;
}

static void put_handle(const corm_model *model) { put_bytes(&tree, &model, sizeof(model)); }

/* N: None; P, Q, T, W: the handles of people, pets, tags, nodes; 'text'; numbers. */
static const char *put_item(const char *text) {
    size_t length = strcspn(text + 1, "'");
    char *end;
    switch (*text) {
    case '(':
    case '[':
        return put_sequence(text);
    case '\'':
        put_str(&tree, text + 1, length);
        return text + length + 2;
    case 'N':
        put_none(&tree);
        return text + 1;
    case 'P':
    case 'Q':
    case 'T':
    case 'W':
        put_handle(*text == 'P' ? people : *text == 'Q' ? pets : *text == 'T' ? tags : nodes);
        return text + 1;
    default:
        put_int(&tree, (int32_t)strtol(text, &end, 10));
        return end;
    }
}

static void read_tree(const char *text) {
    tree.size = 0;
    assert_int_equal(*put_item(text), '\0');
}

static void expression_is(const char *text, const char *sql_and_values) {
    corm_expr *made = NULL;
    read_tree(text);
    OK(corm_tree_expression(tree.bytes, tree.size, &made, &failure));
    OK(corm_tree_expression_sql(made, &block, &failure));
    assert_string_equal(block_text(&block), sql_and_values);
    corm_expr_free(made);
}

#define AGE "(1 P N 'age')"

static void every_node_of_an_expression(void **state) {
    (void)state;
    expression_is(AGE, "('\"age\"', ())");
    expression_is("(2 'x' 'y')", "('\"x\".\"y\"', ())");
    expression_is("(3 35 0)", "('?', (35))");
    expression_is("(3 0 9)", "('?', ('1970-01-01 00:00:00'))");
    expression_is("(4 'least')", "('?', (('least')))");
    expression_is("(5 1 " AGE ")", "('NOT \"age\"', ())");
    expression_is("(6 14 " AGE " (3 35 0))", "('\"age\" > ?', (35))");
    expression_is("(7 [" AGE " (3 1 0)])", "('\"age\" AND ?', (1))");
    expression_is("(8 [" AGE " (3 1 0)])", "('\"age\" OR ?', (1))");
    expression_is("(9 " AGE " (3 1 0) (3 2 0))", "('\"age\" BETWEEN ? AND ?', (1, 2))");
    expression_is("(10 " AGE " [1 2 3])", "('\"age\" IN (?, ?, ?)', (1, 2, 3))");
    expression_is("(11 " AGE " (1 N N [(3 1 (3 7 0))]))", "('\"age\" IN (SELECT ?)', (7))");
    expression_is("(12 N [(" AGE " (3 1 0))] (3 2 0))", "('CASE WHEN \"age\" THEN ? ELSE ? END', (1, 2))");
    expression_is("(13 " AGE " 6)", "('CAST(\"age\" AS TEXT)', ())");
    expression_is("(14 " AGE " 'NOCASE')", "('\"age\" COLLATE \"NOCASE\"', ())");
    expression_is("(15 'count' [] 0 N N)", "('count(*)', ())");
    expression_is("(15 'sum' [" AGE "] 1 (3 1 0) ([" AGE "] [" AGE "] 'ROWS CURRENT ROW'))",
                  "('sum(DISTINCT \"age\") FILTER (WHERE ?) OVER (PARTITION BY \"age\" ORDER BY \"age\" ROWS CURRENT "
                  "ROW)', (1))");
    expression_is("(16 (1 N N [(3 1 (3 7 0))]))", "('(SELECT ?)', (7))");
    expression_is("(17 (1 N N [(3 1 (3 7 0))]))", "('EXISTS (SELECT ?)', (7))");
    expression_is("(18 'a = ?' [1])", "('a = ?', (1))");
    expression_is("(19 " AGE " 1 2)", "('\"age\" DESC NULLS LAST', ())");
    expression_is("(20 " AGE " 'years')", "('\"age\"', ())");
}

static void statement_is(const char *text, const char *sql_and_values, const char *rows) {
    corm_statement *made = NULL;
    corm_result *cursor = NULL;
    read_tree(text);
    OK(corm_tree_statement(tree.bytes, tree.size, &made, &failure));
    OK(corm_tree_statement_sql(made, &block, &failure));
    assert_string_equal(block_text(&block), sql_and_values);
    OK(corm_tree_open(db, NULL, made, NULL, 0, &cursor, &failure));
    GIVES(CORM_ROW, corm_block_next(cursor, 100, &block, &failure));
    assert_string_equal(block_text(&block), rows);
    corm_result_close(cursor);
    corm_statement_free(made);
}

/* Rows in parts: a record, what an outer join did not find, and a value. */
static void rows_in_parts(void **state) {
    (void)state;
    corm_statement *made = NULL;
    corm_result *cursor = NULL;
    read_tree("(1 P N [(3 1 (1 P N 'id')) (3 1 (1 P N 'name')) (3 5 (1 P N 'id')) (3 6 (3 2 0))])");
    OK(corm_tree_statement(tree.bytes, tree.size, &made, &failure));
    read_tree("[N N]");
    OK(corm_tree_open_parts(db, tree.bytes, tree.size, made, NULL, 0, &cursor, &failure));
    GIVES(CORM_ROW, corm_block_next(cursor, 100, &block, &failure));
    corm_result_close(cursor);
    static const char *const wrong[] = {"[]",    "[N]",    "[N N N]",     "[(P 0)]", "[(P 0) N]",
                                        "[(P)]", "[77 N]", "[('x' 0) N]", "N"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        read_tree(wrong[i]);
        GIVES(CORM_E_MISUSE, corm_tree_open_parts(db, tree.bytes, tree.size, made, NULL, 0, &cursor, &failure));
    }
    GIVES(CORM_E_MISUSE, corm_tree_open_parts(db, NULL, 0, made, NULL, 0, &cursor, &failure));
    corm_statement_free(made);
}

static void parts_of_statements(void **state) {
    (void)state;
    statement_is("(1 P N [(3 1 (1 P N 'name')) (3 2 (6 14 " AGE " (3 40 0)))])",
                 "('SELECT \"name\" FROM \"person\" WHERE \"age\" > ?', (40))", "[('eve')]");
    statement_is("(1 P 'p' [(3 1 (1 P 'p' 'name')) (2 0 (Q N N N) (6 10 (1 Q N 'owner_id') (1 P 'p' 'id')))"
                 " (3 2 (6 10 (1 Q N 'id') (3 3 0)))])",
                 "('SELECT \"p\".\"name\" FROM \"person\" AS \"p\" JOIN \"pet\" ON \"pet\".\"owner_id\" = \"p\".\"id\" "
                 "WHERE \"pet\".\"id\" = ?', (3))",
                 "[('Dan')]");
    statement_is("(1 N N [(6 'x' ['n'] (1 N N [(3 1 (3 1 0))])) (1 (N N 'x' N)) (4)])",
                 "('WITH \"x\" (\"n\") AS (SELECT ?) SELECT DISTINCT * FROM \"x\"', (1))", "[(1)]");
    statement_is("(1 P N [(3 1 (1 P N 'id')) (3 5 (1 P N 'id')) (7 [4]) (3 6 (3 1 0))])",
                 "('SELECT \"id\" FROM \"person\" WHERE \"id\" > ? ORDER BY \"id\" LIMIT ?', (4, 1))", "[(5)]");
    statement_is("(1 N N [(3 1 (3 1 0)) (5 1 (1 N N [(3 1 (3 1 0))]))])", "('SELECT ? UNION ALL SELECT ?', (1, 1))",
                 "[(1), (1)]");
    statement_is("(2 Q N [(8 'name' (3 'Zoe' 0)) (10 2) (3 8 (1 Q N 'id'))])",
                 "('INSERT OR REPLACE INTO \"pet\" (\"name\") VALUES (?) RETURNING \"id\"', ('Zoe'))", "[(6)]");
    statement_is("(2 Q N [(8 'id' (3 6 0)) (8 'name' (3 'Zed' 0)) (11 ['id']) (12 'name' (2 'excluded' 'name'))"
                 " (3 8 (1 Q N 'name'))])",
                 "('INSERT INTO \"pet\" (\"id\", \"name\") VALUES (?, ?) ON CONFLICT (\"id\") DO UPDATE SET \"name\" = "
                 "\"excluded\".\"name\" RETURNING \"name\"', (6, 'Zed'))",
                 "[('Zed')]");
    statement_is(
        "(1 Q N [(3 1 (21 Q N ['owner'] 'name')) (3 2 (22 Q N 'tags' (6 10 (1 T N 'word') (3 'loud' 0))))"
        " (3 1 (23 Q N 'tags' 'count' N N))])",
        "('SELECT \"pet.owner\".\"name\", (SELECT count(*) FROM \"tag\" JOIN \"pet_tag\" ON \"tag\".\"id\" = "
        "\"pet_tag\".\"tag_id\" WHERE \"pet\".\"id\" = \"pet_tag\".\"pet_id\") FROM \"pet\" LEFT JOIN \"person\" AS "
        "\"pet.owner\" ON \"pet.owner\".\"id\" = \"pet\".\"owner_id\" WHERE EXISTS (SELECT 1 FROM \"tag\" JOIN "
        "\"pet_tag\" ON \"tag\".\"id\" = \"pet_tag\".\"tag_id\" WHERE \"pet\".\"id\" = \"pet_tag\".\"pet_id\" AND "
        "\"tag\".\"word\" = ?)', ('loud'))",
        "[('Ada', 2), (None, 1)]");
    statement_is(
        "(1 W N [(3 1 (1 W N 'id')) (13 0 N 'parent' 'up') (3 2 (6 10 (1 W 'up' 'name') (3 'left' 0)))])",
        "('SELECT \"node\".\"id\" FROM \"node\" JOIN \"node\" AS \"up\" ON \"up\".\"id\" = \"node\".\"parent_id\" "
        "WHERE \"up\".\"name\" = ?', ('left'))",
        "[(4)]");
}

static void no_tree(const char *text) {
    corm_statement *statement = NULL;
    corm_expr *expression = NULL;
    read_tree(text);
    GIVES(CORM_E_MISUSE, corm_tree_statement(tree.bytes, tree.size, &statement, &failure));
    GIVES(CORM_E_MISUSE, corm_tree_expression(tree.bytes, tree.size, &expression, &failure));
    assert_true(statement == NULL && expression == NULL);
}

static void trees_of_another_shape(void **state) {
    (void)state;
    static const char *const wrong[] = {"N",
                                        "1",
                                        "'x'",
                                        "()",
                                        "(N)",
                                        "('x')",
                                        "(0)",
                                        "(24)",
                                        "(99 1)",
                                        "(6)",
                                        "(6 14)",
                                        "(6 14 (3 1 0))",
                                        "(7 1)",
                                        "(1 P)",
                                        "(1 P N)",
                                        "(1 P N 1)",
                                        "(1 P N [1])",
                                        "(1 P N [()])",
                                        "(1 P N [(99)])",
                                        "(1 P N [(3 2)])",
                                        "(1 P N [(3 2 N)])",
                                        "(1 P N [(1 (P N N))])",
                                        "(1 1 N [])",
                                        "(1 'x' N [])",
                                        "(1 P 5 [])"};
    for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index += 1)
        no_tree(wrong[index]);
}

/* Makes and, where that works, compiles what the bytes say; there must be no crash and no leak. */
static void try_bytes(const unsigned char *bytes, size_t size) {
    corm_statement *statement = NULL;
    corm_expr *expression = NULL;
    corm_block result = {0};
    if (corm_tree_statement(bytes, size, &statement, NULL) >= 0)
        corm_tree_statement_sql(statement, &result, NULL);
    if (corm_tree_expression(bytes, size, &expression, NULL) >= 0)
        corm_tree_expression_sql(expression, &result, NULL);
    corm_block_free(&result);
    corm_statement_free(statement);
    corm_expr_free(expression);
}

static void bytes_that_were_cut_or_changed(void **state) {
    (void)state;
    corm_statement *statement = NULL;
    corm_expr *expression = NULL;
    read_tree("(1 P 'p' [(3 1 (15 'sum' [" AGE "] 1 (3 1 0) ([" AGE "] [] N))) (7 [1 2])"
              " (2 0 (Q N N N) (10 (1 Q N 'owner_id') [1 2 3])) (5 1 (1 N N [(3 1 (18 'a = ?' [1]))]))])");
    for (size_t size = 0; size < tree.size; size += 1) {
        unsigned char *exact = malloc(size + 1);
        memcpy(exact, tree.bytes, size);
        GIVES(CORM_E_MISUSE, corm_tree_statement(exact, size, &statement, &failure));
        free(exact);
    }
    for (size_t at = 0; at < tree.size; at += 1) {
        static const unsigned char others[] = {0, 1, 2, 0x7f, 0x80, 0xff, '(', '[', '{', 'i', 'l', 'u', 'N', '0'};
        unsigned char kept = tree.bytes[at];
        for (size_t index = 0; index < sizeof others; index += 1) {
            tree.bytes[at] = others[index];
            try_bytes(tree.bytes, tree.size);
        }
        tree.bytes[at] = kept;
    }
    GIVES(CORM_E_MISUSE, corm_tree_statement(NULL, 10, &statement, &failure));
    GIVES(CORM_E_MISUSE, corm_tree_statement(tree.bytes, tree.size, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_tree_expression(NULL, 0, &expression, &failure));
    GIVES(CORM_E_MISUSE, corm_tree_statement_sql(NULL, &block, &failure));
    GIVES(CORM_E_MISUSE, corm_tree_expression_sql(NULL, &block, &failure));
    assert_true(statement == NULL && expression == NULL);
}

static void ten_thousand_levels(void **state) {
    (void)state;
    enum { levels = 10000 };
    static unsigned char deep[levels * 15 + 100];
    size_t size = 0;
    corm_expr *expression = NULL;
    for (int level = 0; level < levels; level += 1) {
        tree.size = 0;
        put_tuple(&tree, 3);
        put_int(&tree, CORM_NODE_UNARY);
        put_int(&tree, CORM_OP_NOT);
        memcpy(deep + size, tree.bytes, tree.size);
        size += tree.size;
    }
    GIVES(CORM_E_MISUSE, corm_tree_expression(deep, size, &expression, &failure));
    FAILURE_SAYS("deep");
    assert_null(expression);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TREE_TEST(every_node_of_an_expression),
        TREE_TEST(rows_in_parts),
        TREE_TEST(parts_of_statements),
        TREE_TEST(trees_of_another_shape),
        TREE_TEST(bytes_that_were_cut_or_changed),
        TREE_TEST(ten_thousand_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
