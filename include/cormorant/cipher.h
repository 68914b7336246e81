/* Encrypted files: keys and settings, codecs of your own, and encrypting, decrypting, checking and copying files. */
#ifndef CORMORANT_CIPHER_H
#define CORMORANT_CIPHER_H

#include "database.h"
#include "migration.h"

CORM_BEGIN_DECLS

/*
 * An encrypted file is one of SQLCipher 4 (https://www.zetetic.net/sqlcipher/design/): every page of it, and of its
 * journals, is encrypted with AES-256 and authenticated. Programs with SQLCipher read and write it, at the same time, too.
 * The primitives are those of OpenSSL's libcrypto, which is loaded with the first encrypted file, CORM_E_CIPHER where it
 * is missing, and of CommonCrypto on Apple's systems. Plain files need none of it.
 *
 * Keys appear in no error, trace or SQL text, and are wiped from memory when they are no longer used. From the first
 * encrypted file on, what SQLite spills to temporary files is encrypted in the whole process.
 */

/* Takes a key from a corm_key_provider. */
typedef struct corm_key_sink corm_key_sink;

/*
 * Asked for the key of a file once whenever it is opened, before the file is touched and on the thread that opens it:
 * answers through corm_key_sink_set and returns CORM_OK. Any other status refuses, and nothing is opened: below zero with
 * that status, or with *out_error (corm_error_create), which is given away; else CORM_E_CALLBACK.
 * It must not use the database that is being opened.
 *
 * path borrowed until return.
 */
typedef corm_status (*corm_key_provider)(const char *path, corm_key_sink *sink, void *context, corm_error **out_error);

/*
 * Hands the key over, as in corm_cipher_options.key. Only inside the provider that was given the sink.
 *
 * key copied; wipe it afterwards.
 *
 * Statuses: CORM_E_MISUSE for an empty or malformed key.
 */
corm_status corm_key_sink_set(corm_key_sink *sink, const void *key, size_t key_size, corm_error **out_error);

/* What corm_codec's functions return beside CORM_OK. Every other status is a failure of the codec: CORM_E_CIPHER. */
#define CORM_CODEC_MISMATCH 1 /* decrypt: the page was encrypted with another key, or was altered */

/*
 * A cipher of your own, for files that only your program reads. A page's image is as long as the page; SQLite leaves the
 * last `reserve` bytes of every page to the codec. The functions run one at a time for each open file, inside the
 * library's calls, on the thread of the call; they must not use the database. The first 16 bytes of page 1's image are the
 * codec's: SQLite has a text there that never changes. A salt can stand there.
 *
 * Many files may be open with one codec at a time: those of several connections, copies, snapshots. What is of one file
 * alone, such as keys made with its salt, belongs into what `open` gives for it.
 */
typedef struct corm_codec {
    uint32_t struct_size;
    /* A power of two from 1024 to 65536. */
    uint32_t page_size;
    /* 0 to 255. Read once, when the file is opened. */
    uint32_t reserve;
    /*
     * Begins with a file: sets *out_file to what the other functions get for it. Called again when the file begins with
     * other bytes than it did, because another process made it first; what was given before is then closed, once page 1
     * was decrypted with the new. NULL: the others get `context`, nothing is kept of a file, and `close` is not called.
     *
     * path        borrowed until return; of a copy, where it will stand.
     * first_bytes the first 16 bytes of the file; borrowed until return. NULL for a file that is yet to be written.
     * out_error   where it fails, an error of its own (corm_error_create), which is given away. What fails for the call is
     *             CORM_E_CIPHER with its message; of the functions below, too.
     */
    corm_status (*open)(const char *path, const uint8_t *first_bytes, void **out_file, void *context,
                        corm_error **out_error);
    /* Writes the image of a page. image: page_size bytes. */
    corm_status (*encrypt)(uint32_t page_number, const uint8_t *page, uint8_t *image, void *file,
                           corm_error **out_error);
    /* Turns an image into the page, in place; for page 1, its first 16 bytes are put right by the library. */
    corm_status (*decrypt)(uint32_t page_number, uint8_t *image, void *file, corm_error **out_error);
    /* Called once for each successful `open`, when the file is closed; it must wipe its keys. NULL: nothing to do. */
    void (*close)(void *file);
    void *context;
} corm_codec;

#define CORM_CODEC_INIT CORM_INIT_(corm_codec)

/* A hash function: corm_cipher_options.kdf_algorithm, hmac_algorithm. */
typedef int32_t corm_cipher_algorithm;
#define CORM_CIPHER_DEFAULT 0 /* as the compatibility says: SHA-512 from 4 on, SHA-1 before */
#define CORM_CIPHER_SHA1 1
#define CORM_CIPHER_SHA256 2
#define CORM_CIPHER_SHA512 3
#define CORM_CIPHER_OFF 4 /* hmac_algorithm: pages without authentication, so that alterations go unnoticed */

/* What a file is encrypted with. One of key, provider and codec. Zero is the default of everything else. */
typedef struct corm_cipher_options {
    uint32_t struct_size;
    /* The version of SQLCipher whose format the file has, 1 to 4. 0: 4. Older ones are there to be read and rekeyed. */
    int32_t compatibility;
    /*
     * A passphrase of any bytes, from which the key is derived; or x'...', a raw key: 64 hex digits are the key, 96 the key
     * and the file's salt, 160 the key, that of the HMAC and the salt. Copied.
     */
    const void *key;
    size_t key_size;
    /* Asked where key is NULL. It and its context must live until the database is closed. */
    corm_key_provider provider;
    void *context;
    /* 1024 to 65536. 0: 4096, and 1024 before compatibility 4. */
    int32_t page_size;
    /* Rounds of the key derivation. 0: 256,000, and fewer before compatibility 4. */
    int32_t rounds;
    /* Bytes at the file's beginning that are left plain, such as 32; the key must be a raw one with its salt. */
    int32_t plain_header_size;
    /* Of PBKDF2, by which keys are derived. */
    corm_cipher_algorithm kdf_algorithm;
    /* Of the HMAC of each page. Default: as kdf_algorithm; compatibility 1 has none. */
    corm_cipher_algorithm hmac_algorithm;
    /* True where no program with an SQLCipher of its own writes to the file while this one does: small transactions in WAL
       mode are faster. */
    bool sole_writer;
    /*
     * True wipes SQLite's memory when it is freed, in the whole process and from then on, as SQLCipher's cipher_memory_security
     * does: with it pages in the cache when their connection closes. CORM_E_MISUSE where the process has used SQLite before.
     */
    bool wipe_memory;
    /* Copied; its context must live until `close` was called or, without an `open`, the database and its copies are closed. */
    const corm_codec *codec;
} corm_cipher_options;

#define CORM_CIPHER_OPTIONS_INIT CORM_INIT_(corm_cipher_options)

/*
 * Encrypts a file in its place: a plain one, or an encrypted one anew, with another key, a new salt and other settings. Takes the
 * file for itself: CORM_E_BUSY while other connections use it, which must
 * be closed first. A crash, an error or a cancel leaves the file as it was, or encrypted; never between. Needs as much free
 * disk space as the file has, and the right to write in its folder. Disk blocks that the plain file had may stay readable
 * to those who read the disk itself.
 *
 * path     copied.
 * from     what the file is encrypted with; borrowed until return. NULL: a plain file.
 * to       what it is to be encrypted with; borrowed until return.
 * progress told the pages written and all, and asked whether to go on; NULL: none.
 *
 * Statuses: CORM_E_NOT_A_DATABASE and CORM_E_KEY_MISSING for a file that is no plain database, with `from` CORM_E_WRONG_KEY and
 * CORM_E_NOT_ENCRYPTED; CORM_E_CANNOT_OPEN, CORM_E_READ_ONLY, CORM_E_BUSY, CORM_E_FULL, CORM_E_CIPHER; CORM_E_INTERRUPTED when cancelled. Threading: any thread.
 */
corm_status corm_cipher_rekey(const char *path, const corm_cipher_options *from, const corm_cipher_options *to,
                              corm_progress_callback progress, void *context, corm_error **out_error);

/* Makes an encrypted file plain; the rest as corm_cipher_rekey. */
corm_status corm_cipher_decrypt(const char *path, const corm_cipher_options *cipher, corm_progress_callback progress,
                                void *context, corm_error **out_error);

/*
 * Checks the authentication of every page of a database's file, as SQLCipher's cipher_integrity_check does. A page
 * that fails there is good if the write-ahead log has a newer one, as after a crash in a checkpoint; what else stands in the
 * log is not looked at. Says nothing of what the pages hold: that is PRAGMA integrity_check.
 *
 * out_pages the numbers of the first pages that fail, `capacity` at most; NULL when that is 0.
 * out_count how many fail; 0 for a good file.
 *
 * Statuses: CORM_E_NOT_ENCRYPTED for a plain file; CORM_E_CIPHER for one of compatibility 1, whose pages carry no
 * authentication; CORM_E_INTERRUPTED. Threading: any thread.
 */
corm_status corm_cipher_check(corm_database *database, uint32_t *out_pages, size_t capacity, size_t *out_count,
                              corm_error **out_error);

/*
 * Attaches another file under a name of its own: https://www.sqlite.org/lang_attach.html. DETACH ends it. Beside an
 * encrypted file, the statements ATTACH and VACUUM INTO are CORM_E_MISUSE: they would write plain files; this and
 * corm_database_backup do as they are told.
 *
 * cipher borrowed until return; NULL for a plain file. Its key, not the database's, opens the file.
 *
 * Statuses: as corm_database_open; CORM_E_TRANSACTION inside a transaction.
 */
corm_status corm_database_attach(corm_database *database, const char *path, const char *name,
                                 const corm_cipher_options *cipher, corm_error **out_error);

CORM_END_DECLS

#endif
