/* corm_statement_after: page by page, every row comes exactly once and in order, with NULLs and ties. */
#include "statements.h"

#include <stdio.h>
#include <string.h>

typedef struct term {
    const char *property;
    bool descending;
    int32_t nulls;
} term;

static corm_statement *in_order(const term *terms, size_t count) {
    corm_statement *select = select_from(people);
    for (size_t index = 0; index < count; index += 1)
        ordered_by(select, corm_expr_order(column(terms[index].property), terms[index].descending, terms[index].nulls));
    return select;
}

static corm_value value_of(const person *one, const char *property) {
    if (strcmp(property, "age") == 0)
        return one->age.has_value ? corm_value_int64(one->age.value) : corm_value_null();
    if (strcmp(property, "city") == 0)
        return corm_value_text(one->city);
    return corm_value_int64(one->id);
}

/* Appends the ids of what the statement fetches; true while there is a last row, which goes into `last`. */
static bool fetch_page(corm_statement *statement, char *ids, person *last, char *city) {
    corm_query query = {.struct_size = sizeof query, .statement = statement};
    corm_records *records;
    OK(corm_query_fetch(db, people, &query, &records, &failure));
    size_t count = corm_records_count(records);
    const person *found = corm_records_data(records);
    for (size_t index = 0; index < count; index += 1)
        sprintf(ids + strlen(ids), "%d ", (int)found[index].id);
    if (count > 0) {
        *last = found[count - 1];
        last->city = last->city == NULL ? NULL : strcpy(city, last->city);
    }
    corm_records_free(records);
    corm_statement_free(statement);
    return count > 0;
}

static void pages_hold_all_rows_in_order(const term *terms, size_t count) {
    char whole[200] = "";
    char city[50];
    person last;
    fetch_page(in_order(terms, count), whole, &last, city);
    assert_int_equal(strlen(whole), strlen("1 2 3 4 5 6 "));
    for (int64_t size = 1; size <= 4; size += 1) {
        char paged[200] = "";
        corm_value values[3];
        corm_statement *page = in_order(terms, count);
        corm_statement_add(page, CORM_CLAUSE_LIMIT, number(size));
        while (fetch_page(page, paged, &last, city)) {
            for (size_t index = 0; index < count; index += 1)
                values[index] = value_of(&last, terms[index].property);
            page = in_order(terms, count);
            corm_statement_after(page, values, count);
            corm_statement_add(page, CORM_CLAUSE_LIMIT, number(size));
        }
        assert_string_equal(paged, whole);
    }
}

static void every_direction_and_place_of_nulls(void **state) {
    (void)state;
    for (int choice = 0; choice < 2 * 3 * 2 * 3 * 2; choice += 1) {
        term terms[] = {{"age", choice % 2 == 1, choice / 2 % 3},
                        {"city", choice / 6 % 2 == 1, choice / 12 % 3},
                        {"id", choice / 36 % 2 == 1, CORM_NULLS_LEAST}};
        pages_hold_all_rows_in_order(terms, 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STATEMENT_TEST(every_direction_and_place_of_nulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
