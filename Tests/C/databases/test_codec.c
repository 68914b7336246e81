/* Codecs of the host: a toy that hides nothing from anyone, and those that fail or change their minds. */
#include "support.h"

#include <string.h>

#define PAGE 2048
#define RESERVE 24

typedef struct toy {
    uint8_t key;
    int opened, closed, pages;
    /* Which call of encrypt or decrypt fails, counted from 1; 0 for none. */
    int failing;
    corm_codec codec;
} toy;

static int is_failing(toy *toy) { return ++toy->pages == toy->failing; }

static uint8_t sum(const uint8_t *bytes, size_t size) {
    uint8_t sum = 1;
    for (size_t index = 0; index < size; index++)
        sum = (uint8_t)(sum * 31 + bytes[index]);
    return sum;
}

static corm_status encrypt(uint32_t number, const uint8_t *page, uint8_t *image, void *file, corm_error **error) {
    toy *mine = file;
    if (is_failing(mine)) {
        *error = corm_error_create(CORM_E_CALLBACK, "out of breath", NULL);
        return CORM_E_CALLBACK;
    }
    for (size_t index = 0; index < PAGE - RESERVE; index++)
        image[index] = page[index] ^ mine->key;
    memset(image + PAGE - RESERVE, (int)(number & 0xff), RESERVE);
    image[PAGE - 1] = sum(image, PAGE - 1);
    return CORM_OK;
}

static corm_status decrypt(uint32_t number, uint8_t *image, void *file, corm_error **error) {
    toy *mine = file;
    if (is_failing(mine)) {
        *error = corm_error_create(CORM_E_CALLBACK, "out of breath", NULL);
        return CORM_E_CALLBACK;
    }
    if (image[PAGE - 1] != sum(image, PAGE - 1) || image[PAGE - 2] != (number & 0xff))
        return CORM_CODEC_MISMATCH;
    if (number == 1 && (image[0] ^ mine->key) != 'S')
        return CORM_CODEC_MISMATCH;
    for (size_t index = 0; index < PAGE - RESERVE; index++)
        image[index] ^= mine->key;
    return CORM_OK;
}

static corm_status opening(const char *path, const uint8_t *first_bytes, void **out_file, void *context,
                           corm_error **error) {
    (void)error;
    (void)first_bytes;
    assert_non_null(strstr(path, "toy.db"));
    ((toy *)context)->opened++;
    *out_file = context;
    return CORM_OK;
}

static void closing(void *file) { ((toy *)file)->closed++; }

static void make_toy(toy *toy, uint8_t key) {
    *toy = (struct toy){.key = key};
    toy->codec = (corm_codec){.struct_size = sizeof(corm_codec),
                              .page_size = PAGE,
                              .reserve = RESERVE,
                              .encrypt = encrypt,
                              .decrypt = decrypt,
                              .open = opening,
                              .close = closing,
                              .context = toy};
}

static corm_status open_with(const char *path, toy *toy, int32_t journal_mode, corm_database **database) {
    corm_cipher_options cipher = CORM_CIPHER_OPTIONS_INIT;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    cipher.codec = &toy->codec;
    options.cipher = &cipher;
    options.journal_mode = journal_mode;
    *database = NULL;
    forget_failure();
    return corm_database_open(path, &options, database, &failure);
}

static const char *const script =
    "CREATE TABLE IF NOT EXISTS t (a, b); DELETE FROM t; WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
    "n "
    "LIMIT 500) INSERT INTO t SELECT i, randomblob(200) FROM n; BEGIN; UPDATE t SET b = zeroblob(100); ROLLBACK;";

static void a_codec_of_the_host_holds_a_database(void **state) {
    (void)state;
    const char *path = path_to("toy.db");
    for (int32_t mode = CORM_JOURNAL_WAL; mode <= CORM_JOURNAL_DELETE; mode++) {
        toy good, other;
        make_toy(&good, 0x5a);
        make_toy(&other, 0x77);
        corm_database *database;
        assert_int_equal(open_with(path, &good, mode, &database), CORM_OK);
        OK(corm_database_execute_script(database, script, &failure));
        size_t count = 1;
        OK(corm_cipher_check(database, NULL, 0, &count, &failure));
        assert_int_equal(count, 0);
        assert_int_equal(good.opened, 1);
        assert_int_equal(good.closed, 0);
        OK(corm_database_close(database, &failure));
        assert_int_equal(good.closed, 1);
        assert_int_equal(open_with(path, &other, mode, &database), CORM_E_WRONG_KEY);
        assert_int_equal(other.closed, 1);
        OK(corm_database_attach(
            db, path, "toy", &(corm_cipher_options){.struct_size = sizeof(corm_cipher_options), .codec = &good.codec},
            &failure));
        assert_int_equal(select_int("SELECT count(*) FROM toy.t"), 500);
        OK(corm_database_execute_script(db, "DETACH toy", &failure));
    }
}

static void a_codec_that_fails_stops_the_statement_and_loses_nothing(void **state) {
    (void)state;
    const char *path = path_to("toy.db");
    toy toy;
    corm_database *database;
    for (int32_t mode = CORM_JOURNAL_WAL; mode <= CORM_JOURNAL_DELETE; mode++) {
        make_toy(&toy, 0x5a);
        assert_int_equal(open_with(path, &toy, mode, &database), CORM_OK);
        OK(corm_database_execute_script(database, script, &failure));
        OK(corm_database_close(database, &failure));
        int failed = 0;
        for (int call = 1; call < 120; call += 7) {
            make_toy(&toy, 0x5a);
            toy.failing = call;
            if (open_with(path, &toy, mode, &database) != CORM_OK) {
                assert_int_equal(corm_error_code(failure), CORM_E_CIPHER);
                failed++;
                continue;
            }
            forget_failure();
            if (corm_database_execute_script(database, "PRAGMA cache_size = 5; UPDATE t SET b = zeroblob(150)",
                                             &failure) != CORM_OK) {
                assert_int_equal(corm_error_code(failure), CORM_E_CIPHER);
                assert_non_null(strstr(corm_error_message(failure), "toy.db\" fails"));
                assert_non_null(strstr(corm_error_message(failure), "out of breath"));
                failed++;
            }
            OK(corm_database_close(database, &failure));
        }
        assert_true(failed > 5);
        make_toy(&toy, 0x5a);
        assert_int_equal(open_with(path, &toy, mode, &database), CORM_OK);
        corm_database *mine = db;
        db = database;
        assert_string_equal(select_text("PRAGMA integrity_check"), "ok");
        assert_int_equal(select_int("SELECT count(*) FROM t"), 500);
        db = mine;
        OK(corm_database_close(database, &failure));
    }
}

static void a_codec_that_changes_its_mind_is_not_heard(void **state) {
    (void)state;
    const char *path = path_to("toy.db");
    toy toy;
    corm_database *database;
    make_toy(&toy, 0x5a);
    assert_int_equal(open_with(path, &toy, CORM_JOURNAL_WAL, &database), CORM_OK);
    toy.codec.reserve = 200;
    toy.codec.page_size = 65536;
    toy.codec.encrypt = NULL;
    OK(corm_database_execute_script(database, script, &failure));
    OK(corm_database_close(database, &failure));
    make_toy(&toy, 0x5a);
    toy.codec.reserve = 100;
    /* The file keeps fewer bytes free than the codec wants now: nothing may be written over. */
    if (open_with(path, &toy, CORM_JOURNAL_WAL, &database) == CORM_OK) {
        assert_true(corm_database_execute_script(database, "CREATE TABLE u (a)", NULL) < 0);
        OK(corm_database_close(database, &failure));
    }
}

static void without_an_open_nothing_is_closed(void **state) {
    (void)state;
    toy toy;
    corm_database *database = NULL;
    make_toy(&toy, 0x5a);
    toy.codec.open = NULL;
    OK(open_with(path_to("toy.db"), &toy, CORM_JOURNAL_WAL, &database));
    OK(corm_database_execute_script(database, "CREATE TABLE t (x)", &failure));
    OK(corm_database_backup(database, path_to("copied toy.db"), NULL, NULL, NULL, &failure));
    OK(corm_database_close(database, &failure));
    assert_int_equal(toy.closed, 0);
}

static void codecs_that_cannot_be_are_refused(void **state) {
    (void)state;
    const char *path = path_to("toy.db");
    toy toy;
    corm_database *database;
    make_toy(&toy, 1);
    toy.codec.page_size = 1000;
    assert_int_equal(open_with(path, &toy, 0, &database), CORM_E_MISUSE);
    make_toy(&toy, 1);
    toy.codec.reserve = 256;
    assert_int_equal(open_with(path, &toy, 0, &database), CORM_E_MISUSE);
    make_toy(&toy, 1);
    toy.codec.decrypt = NULL;
    assert_int_equal(open_with(path, &toy, 0, &database), CORM_E_MISUSE);
    make_toy(&toy, 1);
    toy.codec.struct_size = 3;
    assert_int_equal(open_with(path, &toy, 0, &database), CORM_E_MISUSE);
    corm_cipher_options both = CORM_CIPHER_OPTIONS_INIT;
    make_toy(&toy, 1);
    both.codec = &toy.codec;
    both.key = "key";
    both.key_size = 3;
    GIVES(CORM_E_MISUSE, corm_cipher_rekey(path, NULL, &both, NULL, NULL, &failure));
    both.key = NULL;
    both.key_size = 0;
    both.rounds = 10;
    GIVES(CORM_E_MISUSE, corm_cipher_rekey(path, NULL, &both, NULL, NULL, &failure));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_codec_of_the_host_holds_a_database),
        TEST(a_codec_that_fails_stops_the_statement_and_loses_nothing),
        TEST(a_codec_that_changes_its_mind_is_not_heard),
        TEST(without_an_open_nothing_is_closed),
        TEST(codecs_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
