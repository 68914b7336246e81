/* What CormorantCipher calls of Apple's CommonCrypto and of its libc, declared as Apple's headers declare it: `./dev check
   --only portability` compiles this beside them. emulation.c stands behind it where there is no Apple. */
#ifndef CORMORANT_TESTS_COMMON_CRYPTO_H
#define CORMORANT_TESTS_COMMON_CRYPTO_H

#include <stddef.h>
#include <stdint.h>

#ifndef BESIDE_APPLES_HEADERS

enum { kCCSuccess = 0, kCCParamError = -4300, kCCAlignmentError = -4303 };
enum { kCCEncrypt = 0, kCCDecrypt };
enum { kCCAlgorithmAES = 0 };
enum { kCCOptionECBMode = 0x0002 };
enum { kCCKeySizeAES256 = 32 };
enum { kCCHmacAlgSHA1 = 0, kCCHmacAlgSHA256 = 2, kCCHmacAlgSHA512 = 4 };
enum { kCCPBKDF2 = 2 };
enum { kCCPRFHmacAlgSHA1 = 1, kCCPRFHmacAlgSHA256 = 3, kCCPRFHmacAlgSHA512 = 5 };

typedef struct {
    uint32_t ctx[96];
} CCHmacContext;

#endif

typedef int32_t CCCryptorStatus;
typedef CCCryptorStatus CCRNGStatus;
typedef uint32_t CCOperation;
typedef uint32_t CCAlgorithm;
typedef uint32_t CCOptions;
typedef uint32_t CCHmacAlgorithm;
typedef uint32_t CCPBKDFAlgorithm;
typedef uint32_t CCPseudoRandomAlgorithm;

CCCryptorStatus CCCrypt(CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength,
                        const void *iv, const void *dataIn, size_t dataInLength, void *dataOut, size_t dataOutAvailable,
                        size_t *dataOutMoved);
void CCHmacInit(CCHmacContext *ctx, CCHmacAlgorithm algorithm, const void *key, size_t keyLength);
void CCHmacUpdate(CCHmacContext *ctx, const void *data, size_t dataLength);
void CCHmacFinal(CCHmacContext *ctx, void *macOut);
int CCKeyDerivationPBKDF(CCPBKDFAlgorithm algorithm, const char *password, size_t passwordLen, const uint8_t *salt,
                         size_t saltLen, CCPseudoRandomAlgorithm prf, unsigned rounds, uint8_t *derivedKey,
                         size_t derivedKeyLen);
CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count);
int timingsafe_bcmp(const void *b1, const void *b2, size_t len);

#ifdef BESIDE_APPLES_HEADERS

_Static_assert(kCCSuccess == 0 && kCCParamError == -4300 && kCCAlignmentError == -4303, "statuses");
_Static_assert(kCCEncrypt == 0 && kCCDecrypt == 1 && kCCAlgorithmAES == 0, "operations");
_Static_assert(kCCOptionECBMode == 2 && kCCKeySizeAES256 == 32, "options");
_Static_assert(kCCHmacAlgSHA1 == 0 && kCCHmacAlgSHA256 == 2 && kCCHmacAlgSHA512 == 4, "HMACs");
_Static_assert(kCCPBKDF2 == 2 && kCCPRFHmacAlgSHA1 == 1 && kCCPRFHmacAlgSHA256 == 3 && kCCPRFHmacAlgSHA512 == 5,
               "derivations");
_Static_assert(sizeof(CCHmacContext) == 384, "context");

#endif
#endif
