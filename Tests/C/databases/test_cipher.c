/* Encrypted files: keys, providers, codecs of the host, and the calls on whole files. */
#include "support.h"

#include <stdio.h>
#include <string.h>

static const char raw_key[] = "x'2DD29CA851E7B56E4697B0E1F08507293D761A05CE4D1B628663F411A8086D99'";

static corm_cipher_options with_key(const char *key) {
    return (corm_cipher_options){
        .struct_size = sizeof(corm_cipher_options), .key = key, .key_size = strlen(key), .rounds = 10};
}

/* Opens and closes; the status of opening. */
static corm_status opens(const char *path, const corm_cipher_options *cipher) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.cipher = cipher;
    corm_database *database = NULL;
    corm_error *error = NULL;
    corm_status status = corm_database_open(path, &options, &database, &error);
    corm_error_free(error);
    if (status == CORM_OK)
        OK(corm_database_close(database, &failure));
    return status;
}

static corm_database *open_with(const char *path, const corm_cipher_options *cipher) {
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    options.cipher = cipher;
    corm_database *database = NULL;
    OK(corm_database_open(path, &options, &database, &failure));
    return database;
}

static int begins_plain(const char *path) {
    char head[16] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    fclose(file);
    return memcmp(head, "SQLite format 3", sizeof head) == 0;
}

static void options_that_cannot_be_are_refused(void **state) {
    (void)state;
    const char *path = path_to("secret.db");
    corm_cipher_options none = CORM_CIPHER_OPTIONS_INIT, empty = with_key(""), sizeless = with_key("key");
    corm_cipher_options malformed = with_key("x'12'"), version = with_key("key"), page = with_key("key");
    sizeless.struct_size = 0;
    version.compatibility = 9;
    page.page_size = 512;
    const corm_cipher_options *all[] = {&none, &empty, &sizeless, &malformed, &version, &page};
    for (size_t index = 0; index < sizeof all / sizeof *all; index++) {
        assert_int_equal(opens(path, all[index]), CORM_E_MISUSE);
        assert_true(corm_cipher_rekey(path, NULL, all[index], NULL, NULL, NULL) < 0);
    }
    GIVES(CORM_E_MISUSE, corm_cipher_rekey(path, NULL, NULL, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_cipher_rekey(path, &none, NULL, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_cipher_decrypt(NULL, &none, NULL, NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_key_sink_set(NULL, "key", 3, &failure));
    size_t count = 0;
    GIVES(CORM_E_MISUSE, corm_cipher_check(db, NULL, 5, &count, &failure));
    GIVES(CORM_E_MISUSE, corm_cipher_check(NULL, NULL, 0, &count, &failure));
    GIVES(CORM_E_NOT_ENCRYPTED, corm_cipher_check(db, NULL, 0, &count, &failure));
    GIVES(CORM_E_MISUSE, corm_database_attach(db, NULL, "name", NULL, &failure));
    GIVES(CORM_E_MISUSE, corm_database_backup(db, "", NULL, NULL, NULL, &failure));
}

static int asked;

static corm_status provide(const char *path, corm_key_sink *sink, void *context, corm_error **error) {
    (void)error;
    asked++;
    assert_non_null(strstr(path, "secret.db"));
    if (context == NULL)
        return CORM_E_CALLBACK;
    return corm_key_sink_set(sink, context, strlen(context), NULL);
}

static void a_provider_is_asked_for_the_key(void **state) {
    (void)state;
    const char *path = path_to("secret.db");
    static char key[] = "from the keyring";
    corm_cipher_options given = with_key(key);
    OK(corm_database_close(open_with(path, &given), &failure));
    corm_cipher_options asking = CORM_CIPHER_OPTIONS_INIT;
    asking.rounds = 10;
    asking.provider = provide;
    asking.context = key;
    asked = 0;
    assert_int_equal(opens(path, &asking), CORM_OK);
    assert_int_equal(asked, 1);
    asking.context = NULL;
    assert_int_equal(opens(path, &asking), CORM_E_CALLBACK);
}

static bool go_on(const corm_progress *progress, void *context) {
    assert_non_null(progress->step);
    return --*(int *)context > 0;
}

static void a_file_is_encrypted_rekeyed_and_decrypted(void **state) {
    (void)state;
    const char *path = path_to("test.db");
    corm_cipher_options first = with_key("first"), second = with_key(raw_key);
    insert_people(200);
    corm_database *other = db;
    db = NULL;
    OK(corm_database_close(other, &failure));
    int left = 1;
    GIVES(CORM_E_INTERRUPTED, corm_cipher_rekey(path, NULL, &first, go_on, &left, &failure));
    assert_true(begins_plain(path));
    left = 1000000;
    OK(corm_cipher_rekey(path, NULL, &first, go_on, &left, &failure));
    assert_false(begins_plain(path));
    GIVES(CORM_E_KEY_MISSING, corm_cipher_rekey(path, NULL, &first, NULL, NULL, &failure));
    GIVES(CORM_E_WRONG_KEY, corm_cipher_rekey(path, &second, &first, NULL, NULL, &failure));
    OK(corm_cipher_rekey(path, &first, &second, NULL, NULL, &failure));
    OK(corm_cipher_decrypt(path, &second, NULL, NULL, &failure));
    assert_true(begins_plain(path));
    GIVES(CORM_E_NOT_ENCRYPTED, corm_cipher_decrypt(path, &second, NULL, NULL, &failure));
    db = open_with(path, NULL);
    assert_int_equal(select_int("SELECT count(*) FROM person"), 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(options_that_cannot_be_are_refused),
        TEST(a_provider_is_asked_for_the_key),
        TEST(a_file_is_encrypted_rekeyed_and_decrypted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
