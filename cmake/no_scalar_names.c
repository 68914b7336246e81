/*
 * Stands in for the function of Swift's standard library that finds the name of a Unicode character
 * (Unicode.Scalar.Properties.name), which nothing here asks for: the tables behind it are a fourteenth of the library.
 */
#include <stdint.h>

intptr_t SCALAR_NAMES(uint32_t scalar, uint8_t *buffer, intptr_t capacity);

/* The length of the name: none has one. */
intptr_t SCALAR_NAMES(uint32_t scalar, uint8_t *buffer, intptr_t capacity) {
    (void)scalar;
    (void)buffer;
    (void)capacity;
    return 0;
}
