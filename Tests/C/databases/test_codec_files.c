/* A codec of the host that keeps a salt in each file: what is of one file must not get into another. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096
#define RESERVE 16

/* How many files are open, over all codecs here. */
static int open_files;

typedef struct salted {
    uint8_t salt[16];
    uint8_t key;
} salted;

static corm_status salted_open(const char *path, const uint8_t *first_bytes, void **out_file, void *context,
                               corm_error **error) {
    (void)error;
    if (strstr(path, "refused") != NULL)
        return CORM_E_CALLBACK;
    salted *file = malloc(sizeof *file);
    for (int index = 0; index < 16; index++)
        file->salt[index] = first_bytes == NULL ? (uint8_t)rand() : first_bytes[index];
    file->key = *(const uint8_t *)context;
    *out_file = file;
    open_files++;
    return CORM_OK;
}

static void salted_close(void *file) {
    open_files--;
    free(file);
}

static uint8_t mask(const salted *file, uint32_t number, size_t index) {
    return (uint8_t)(file->salt[index % 16] * 7 + file->key + number + index);
}

static uint8_t sum(const salted *file, const uint8_t *image) {
    uint8_t sum = file->salt[0];
    for (size_t index = 0; index < PAGE - 1; index++)
        sum = (uint8_t)(sum * 31 + image[index]);
    return sum;
}

static corm_status salted_encrypt(uint32_t number, const uint8_t *page, uint8_t *image, void *given,
                                  corm_error **error) {
    (void)error;
    const salted *file = given;
    for (size_t index = 0; index < PAGE - 1; index++)
        image[index] = page[index] ^ mask(file, number, index);
    if (number == 1)
        memcpy(image, file->salt, 16);
    image[PAGE - 1] = sum(file, image);
    return CORM_OK;
}

static corm_status salted_decrypt(uint32_t number, uint8_t *image, void *given, corm_error **error) {
    (void)error;
    const salted *file = given;
    if (image[PAGE - 1] != sum(file, image))
        return CORM_CODEC_MISMATCH;
    for (size_t index = 0; index < PAGE - 1; index++)
        image[index] ^= mask(file, number, index);
    /* The page size of the header, for page 1; the sum alone lets one wrong key in 256 pass. */
    return number == 1 && (image[16] != PAGE >> 8 || image[17] != 0) ? CORM_CODEC_MISMATCH : CORM_OK;
}

static uint8_t first_key = 0x33, second_key = 0x44;

static corm_codec codec_of(uint8_t *key) {
    return (corm_codec){.struct_size = sizeof(corm_codec),
                        .page_size = PAGE,
                        .reserve = RESERVE,
                        .open = salted_open,
                        .encrypt = salted_encrypt,
                        .decrypt = salted_decrypt,
                        .close = salted_close,
                        .context = key};
}

static corm_codec first_codec, second_codec;
static corm_cipher_options first, second;

static int make_codecs(void **state) {
    first_codec = codec_of(&first_key);
    second_codec = codec_of(&second_key);
    first = (corm_cipher_options){.struct_size = sizeof first, .codec = &first_codec};
    second = (corm_cipher_options){.struct_size = sizeof second, .codec = &second_codec};
    open_files = 0;
    return set_up(state);
}

static int close_codecs(void **state) {
    int status = tear_down(state);
    assert_int_equal(open_files, 0);
    return status;
}

/* The database of these tests, in place of the plain one. */
static void reopen(const char *name, const corm_cipher_options *cipher) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.cipher = cipher;
    if (db != NULL)
        OK(corm_database_close(db, &failure));
    db = NULL;
    OK(corm_database_open(path_to(name), &options, &db, &failure));
}

static void is_whole(int rows) {
    size_t bad = 1;
    OK(corm_cipher_check(db, NULL, 0, &bad, &failure));
    assert_int_equal(bad, 0);
    assert_string_equal(select_text("PRAGMA integrity_check"), "ok");
    assert_int_equal(select_int("SELECT count(*) FROM person"), rows);
}

static void fill(const char *name) {
    reopen(name, &first);
    OK(corm_model_create_tables(db, CORM_MODELS(people), &failure));
    insert_people(300);
}

static void copies_do_not_change_the_salt_of_the_file(void **state) {
    (void)state;
    fill("salted.db");
    OK(corm_database_backup(db, path_to("same.db"), NULL, NULL, NULL, &failure));
    OK(corm_database_backup(db, path_to("first.db"), &first, NULL, NULL, &failure));
    OK(corm_database_backup(db, path_to("second.db"), &second, NULL, NULL, &failure));
    insert_people(10);
    reopen("salted.db", &first);
    is_whole(310);
    OK(corm_migration_restore(db, path_to("second.db"), &second, &failure));
    insert_people(1);
    reopen("salted.db", &first);
    is_whole(301);
    reopen("same.db", &first);
    is_whole(300);
    reopen("first.db", &first);
    is_whole(300);
    reopen("second.db", &second);
    is_whole(300);
}

static void a_snapshot_in_a_transaction_has_a_salt_of_its_own(void **state) {
    (void)state;
    corm_column_def columns[6];
    memcpy(columns, person_columns, sizeof person_columns);
    columns[5] = (corm_column_def)CORM_COLUMN(person, city, CORM_TEXT);
    columns[5].name = "town";
    corm_model_def wider = CORM_MODEL(person, "Person", columns);
    corm_model *model;
    OK(corm_model_create(&wider, &model, &failure));
    fill("salted.db");
    corm_migration_options options = CORM_MIGRATION_OPTIONS_INIT;
    const char *snapshot = path_to("snapshot.db");
    options.snapshot = snapshot;
    OK(corm_migration_sync(db, CORM_MODELS(model), &options, NULL, &failure));
    corm_model_free(model);
    OK(corm_database_execute_script(db, "UPDATE person SET town = 'x'", &failure));
    reopen("salted.db", &first);
    is_whole(300);
    reopen("snapshot.db", &first);
    is_whole(300);
}

static void a_file_is_rekeyed_from_one_salt_to_another(void **state) {
    (void)state;
    fill("salted.db");
    OK(corm_database_close(db, &failure));
    db = NULL;
    OK(corm_cipher_rekey(path_to("salted.db"), &first, &first, NULL, NULL, &failure));
    OK(corm_cipher_rekey(path_to("salted.db"), &first, &second, NULL, NULL, &failure));
    reopen("salted.db", &second);
    is_whole(300);
    OK(corm_database_attach(db, path_to("other.db"), "other", &first, &failure));
    OK(corm_database_execute_script(db, "CREATE TABLE other.t AS SELECT * FROM person; DETACH other", &failure));
    insert_people(1);
    reopen("salted.db", &second);
    is_whole(301);
}

static void a_codec_that_refuses_a_file_is_heard_when_it_is_opened(void **state) {
    (void)state;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.cipher = &first;
    corm_database *database = NULL;
    GIVES(CORM_E_CIPHER, corm_database_open(path_to("refused.db"), &options, &database, &failure));
    GIVES(CORM_E_CIPHER, corm_database_attach(db, path_to("refused.db"), "other", &first, &failure));
    GIVES(CORM_E_CIPHER, corm_database_backup(db, path_to("refused too.db"), &first, NULL, NULL, &failure));
    assert_int_equal(select_int("SELECT count(*) FROM person"), 0);
}

#define TEST_CODEC(function) cmocka_unit_test_setup_teardown(function, make_codecs, close_codecs)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_CODEC(copies_do_not_change_the_salt_of_the_file),
        TEST_CODEC(a_snapshot_in_a_transaction_has_a_salt_of_its_own),
        TEST_CODEC(a_file_is_rekeyed_from_one_salt_to_another),
        TEST_CODEC(a_codec_that_refuses_a_file_is_heard_when_it_is_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
