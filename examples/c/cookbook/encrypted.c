/* An encrypted file: a key that is asked for, a wrong one, a copy with another. It leaves files where it runs. */
#include "../music.h"

#include <string.h>

/* Asked whenever the file is opened: a key store's place. The sink copies the key, and wipes it when it is done. */
static corm_status give_key(const char *path, corm_key_sink *sink, void *context, corm_error **error) {
    (void)path;
    const char *secret = context;
    return corm_key_sink_set(sink, secret, strlen(secret), error);
}

static corm_status open_with(const char *path, char *secret, corm_database **db, corm_error **error) {
    corm_cipher_options cipher = CORM_CIPHER_OPTIONS_INIT;
    corm_open_options options = CORM_OPEN_OPTIONS_INIT;
    cipher.provider = give_key;
    cipher.context = secret;
    options.cipher = &cipher;
    return corm_database_open(path, &options, db, error);
}

/* A copy with a key of its own, while the file is in use. */
static bool copy(app *a, corm_database *db, const char *path) {
    corm_cipher_options cipher = CORM_CIPHER_OPTIONS_INIT;
    cipher.key = "the key of the copy";
    cipher.key_size = strlen(cipher.key);
    return corm_database_backup(db, path, &cipher, NULL, NULL, &a->error) == CORM_OK;
}

static bool keep(app *a) {
    static char right[] = "correct horse battery staple", wrong[] = "guess";
    corm_database *db = NULL, *other = NULL;
    artist one = {.name = "Nina"};
    bool done = open_with("encrypted.db", right, &db, &a->error) == CORM_OK &&
                corm_model_create_tables(db, CORM_MODELS(a->artists), &a->error) == CORM_OK &&
                corm_record_insert(db, a->artists, &one, CORM_CONFLICT_IGNORE, NULL, &a->error) >= 0 &&
                copy(a, db, "encrypted-copy.db");
    corm_database_close(db, NULL);
    if (done)
        printf("%s\n", corm_status_name(open_with("encrypted.db", wrong, &other, NULL)));
    return done;
}

int main(void) {
    app a = {0};
    remove("encrypted.db");
    remove("encrypted-copy.db");
    return close_music(&a, open_music(&a) && keep(&a));
}
