/* Tables of many columns: what is done with them takes time in proportion to their number. */
#include "migrations.h"

#include <stdio.h>
#include <time.h>

enum { most = 2000 };

/* The first `count` columns of a table. */
static corm_model *wide(int count) {
    static char names[most][16];
    static corm_column_def columns[most];
    for (int index = 0; index < count; index += 1) {
        snprintf(names[index], sizeof names[index], "column%d", index);
        columns[index] = (corm_column_def)COLUMN(names[index], CORM_INT64, .default_sql = "0");
    }
    columns[0] = (corm_column_def)COLUMN("id", CORM_INT64, .primary_key = true);
    return made((corm_model_def){.name = "Wide", .columns = columns, .column_count = (size_t)count});
}

/* Processor time to make a table and add a column to it: the least of three. */
static double seconds_to_sync(int count) {
    clock_t least = 0;
    corm_model *narrower = wide(count - 1), *model = wide(count);
    for (int round = 0; round < 3; round += 1) {
        clock_t start = clock();
        OK(SYNC(narrower));
        OK(SYNC(model));
        clock_t taken = clock() - start;
        if (round == 0 || taken < least)
            least = taken;
        run_script("DROP TABLE wide");
    }
    return (double)least / CLOCKS_PER_SEC;
}

/* finding c.md, its section 5: each column was looked for among all, several times; 2,000 columns took 2 s. */
static void a_sync_takes_time_in_proportion_to_the_columns(void **state) {
    (void)state;
    double few = seconds_to_sync(most / 8), many = seconds_to_sync(most);
    if (many > few * 20)
        fail_msg("%d columns take %.0f ms, %d take %.0f ms", most / 8, few * 1000, most, many * 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST_EMPTY(a_sync_takes_time_in_proportion_to_the_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
