#include "encrypted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef corm_database_open
#undef corm_database_attach

static bool begins_plain(const char *path) {
    char head[16] = "";
    FILE *file = path == NULL ? NULL : fopen(path, "rb");
    if (file == NULL)
        return false;
    size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    return size == sizeof head && memcmp(head, "SQLite format 3", sizeof head) == 0;
}

static corm_cipher_options with_key(const char *key) {
    corm_cipher_options cipher = CORM_CIPHER_OPTIONS_INIT;
    cipher.key = key;
    cipher.key_size = strlen(key);
    return cipher;
}

corm_status open_encrypted(const char *path, const corm_open_options *options, corm_database **out_database,
                           corm_error **out_error) {
    const char *key = getenv("CORMORANT_TEST_KEY");
    corm_open_options encrypted = CORM_OPEN_OPTIONS_INIT;
    if (options != NULL && options->struct_size == sizeof encrypted)
        encrypted = *options;
    /* What cannot be is for the library to refuse. */
    bool is_hostile = path == NULL || (options != NULL && options->struct_size != sizeof encrypted);
    if (key == NULL || is_hostile || encrypted.cipher != NULL || strcmp(path, ":memory:") == 0 || path[0] == '\0' ||
        begins_plain(path) || begins_plain(encrypted.template_path))
        return corm_database_open(path, options, out_database, out_error);
    corm_cipher_options cipher = with_key(key);
    encrypted.cipher = &cipher;
    return corm_database_open(path, &encrypted, out_database, out_error);
}

corm_status attach_encrypted(corm_database *database, const char *path, const char *name,
                             const corm_cipher_options *cipher, corm_error **out_error) {
    const char *key = getenv("CORMORANT_TEST_KEY");
    if (key == NULL || path == NULL || cipher != NULL || begins_plain(path))
        return corm_database_attach(database, path, name, cipher, out_error);
    corm_cipher_options made = with_key(key);
    return corm_database_attach(database, path, name, &made, out_error);
}

corm_status attach_file(corm_database *database, const char *path, const char *name, corm_error **out_error) {
    if (getenv("CORMORANT_TEST_KEY") != NULL)
        return attach_encrypted(database, path, name, NULL, out_error);
    return corm_database_execute(database, "ATTACH ? AS ?", CORM_VALUES(corm_value_text(path), corm_value_text(name)),
                                 NULL, out_error);
}

corm_status status_of_damage(void) { return getenv("CORMORANT_TEST_KEY") == NULL ? CORM_E_CORRUPT : CORM_E_ALTERED; }
