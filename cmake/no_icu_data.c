/*
 * In the place of the 34 MB of locale data that come with Swift's Foundation: a table of data with nothing in it, as ICU
 * itself knows one for programs that bring their data along. The command uses no locale: of Foundation it has what the
 * templates' library uses, whose regular expressions need none of the data.
 *
 * ICU_DATA is the name of the table, which has ICU's version in it.
 */
#include <stdint.h>

/* https://unicode-org.github.io/icu/userguide/icu_data/: a header, a description, and a table that counts its entries. */
const struct {
    uint16_t header_size;
    uint8_t magic[2];
    struct {
        uint16_t size, reserved;
        uint8_t is_big_endian, charset_family, size_of_unit, reserved_byte;
        uint8_t format[4], format_version[4], data_version[4];
    } info;
    uint8_t padding[8];
    uint32_t count, reserved;
    uint32_t end[4];
} ICU_DATA __attribute__((aligned(16))) = {
    .header_size = 32,
    .magic = {0xDA, 0x27},
    .info = {.size = 20,
             .is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
             .size_of_unit = 2,
             .format = {'T', 'o', 'C', 'P'},
             .format_version = {1}},
};
