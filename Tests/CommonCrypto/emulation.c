/* CommonCrypto's calls over libcrypto, and stricter than Apple's where its headers promise nothing: AES in blocks refuses to
   work in place. */
#include "module/CommonCrypto.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *symbol(const char *name) {
    static void *library;
    if (library == NULL)
        library = dlopen("libcrypto.so.3", RTLD_NOW);
    void *found = library == NULL ? NULL : dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "libcrypto.so.3 has no %s\n", name);
        exit(2);
    }
    return found;
}

/* A function of libcrypto, called by its name. */
#define CALL(result, name, types, ...) ((result(*) types)symbol(#name))(__VA_ARGS__)

static const void *cipher_of(CCOptions options) {
    return options == kCCOptionECBMode ? CALL(const void *, EVP_aes_256_ecb, (void), )
                                       : CALL(const void *, EVP_aes_256_cbc, (void), );
}

CCCryptorStatus CCCrypt(CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength,
                        const void *iv, const void *dataIn, size_t dataInLength, void *dataOut, size_t dataOutAvailable,
                        size_t *dataOutMoved) {
    const char *in = dataIn;
    char *out = dataOut;
    int written = 0;
    int last = 0;
    if (alg != kCCAlgorithmAES || keyLength != kCCKeySizeAES256 || dataOutAvailable < dataInLength)
        return kCCParamError;
    if (in < out + dataInLength && out < in + dataInLength)
        return kCCParamError;
    if (dataInLength % 16 != 0)
        return kCCAlignmentError;
    void *context = CALL(void *, EVP_CIPHER_CTX_new, (void), );
    CALL(int, EVP_CipherInit_ex, (void *, const void *, void *, const void *, const void *, int), context,
         cipher_of(options), NULL, key, iv, op == kCCEncrypt);
    CALL(int, EVP_CIPHER_CTX_set_padding, (void *, int), context, 0);
    CALL(int, EVP_CipherUpdate, (void *, void *, int *, const void *, int), context, out, &written, in,
         (int)dataInLength);
    CALL(int, EVP_CipherFinal_ex, (void *, void *, int *), context, out + written, &last);
    CALL(void, EVP_CIPHER_CTX_free, (void *), context);
    *dataOutMoved = (size_t)(written + last);
    return kCCSuccess;
}

static const void *hash_of(int is_sha1, int is_sha256) {
    if (is_sha1)
        return CALL(const void *, EVP_sha1, (void), );
    return is_sha256 ? CALL(const void *, EVP_sha256, (void), ) : CALL(const void *, EVP_sha512, (void), );
}

void CCHmacInit(CCHmacContext *ctx, CCHmacAlgorithm algorithm, const void *key, size_t keyLength) {
    void *hmac = CALL(void *, HMAC_CTX_new, (void), );
    CALL(int, HMAC_Init_ex, (void *, const void *, int, const void *, void *), hmac, key, (int)keyLength,
         hash_of(algorithm == kCCHmacAlgSHA1, algorithm == kCCHmacAlgSHA256), NULL);
    *(void **)ctx = hmac;
}

void CCHmacUpdate(CCHmacContext *ctx, const void *data, size_t dataLength) {
    CALL(int, HMAC_Update, (void *, const void *, size_t), *(void **)ctx, data, dataLength);
}

void CCHmacFinal(CCHmacContext *ctx, void *macOut) {
    CALL(int, HMAC_Final, (void *, void *, unsigned *), *(void **)ctx, macOut, NULL);
    CALL(void, HMAC_CTX_free, (void *), *(void **)ctx);
}

int CCKeyDerivationPBKDF(CCPBKDFAlgorithm algorithm, const char *password, size_t passwordLen, const uint8_t *salt,
                         size_t saltLen, CCPseudoRandomAlgorithm prf, unsigned rounds, uint8_t *derivedKey,
                         size_t derivedKeyLen) {
    if (algorithm != kCCPBKDF2 || rounds == 0 || derivedKeyLen == 0)
        return kCCParamError;
    return CALL(int, PKCS5_PBKDF2_HMAC, (const char *, int, const uint8_t *, int, int, const void *, int, uint8_t *),
                password, (int)passwordLen, salt, (int)saltLen, (int)rounds,
                hash_of(prf == kCCPRFHmacAlgSHA1, prf == kCCPRFHmacAlgSHA256), (int)derivedKeyLen, derivedKey) == 1
               ? kCCSuccess
               : kCCParamError;
}

CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count) {
    return CALL(int, RAND_bytes, (void *, int), bytes, (int)count) == 1 ? kCCSuccess : kCCParamError;
}

int timingsafe_bcmp(const void *b1, const void *b2, size_t len) {
    return CALL(int, CRYPTO_memcmp, (const void *, const void *, size_t), b1, b2, len);
}
