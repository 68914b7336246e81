/* Has the tests run on encrypted files: with CORMORANT_TEST_KEY, every file that they open without a cipher and that is not
   there already as a plain one is encrypted with that key. */
#ifndef ENCRYPTED_H
#define ENCRYPTED_H

#include <cormorant.h>

corm_status open_encrypted(const char *path, const corm_open_options *options, corm_database **out_database,
                           corm_error **out_error);

#define corm_database_open open_encrypted

corm_status attach_encrypted(corm_database *database, const char *path, const char *name,
                             const corm_cipher_options *cipher, corm_error **out_error);

#define corm_database_attach attach_encrypted

/* As SQL's ATTACH, which is refused beside an encrypted file. */
corm_status attach_file(corm_database *database, const char *path, const char *name, corm_error **out_error);

/* What a file gives whose pages were damaged: an encrypted page is found before SQLite looks at it. */
corm_status status_of_damage(void);

#endif
