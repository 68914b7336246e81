/* Files that a sync cannot change: the file is as it was. What it refuses of models is in Tests/Conformance/migrations-refused.json. */
#include "migrations.h"

#include <stdio.h>
#include <string.h>

static void a_damaged_file(void **state) {
    (void)state;
    run_script("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age TEXT);"
               "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
               "INSERT INTO pet SELECT i, 'a name of some length', '5' FROM n");
    OK(corm_database_close(db, &failure));
    char garbage[4096];
    memset(garbage, 0xa5, sizeof garbage);
    FILE *file = fopen(path_to("test.db"), "r+b");
    for (long page = 4; page < 12; page += 1) {
        fseek(file, page * 4096, SEEK_SET);
        fwrite(garbage, 1, sizeof garbage, file);
    }
    fclose(file);
    OK(corm_database_open(path_to("test.db"), NULL, &db, &failure));
    const char *before = schema_now();
    GIVES(status_of_damage(), SYNC(pets_with((corm_column_def)COLUMN("age", CORM_INT64))));
    assert_string_equal(schema_now(), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_EMPTY(a_damaged_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
