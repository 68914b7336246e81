/*
 * Lets the linker drop what nothing refers to in Swift's standard library.
 *
 * The compiler marks each function and constant that a module makes public as one to keep (SHF_GNU_RETAIN), since other
 * modules may use it. In a library that exports names of its own only, nobody does. This clears the marks of code and
 * data. The tables in which the run time finds types and conformances keep theirs, and all that they refer to.
 *
 * Usage: unretain OBJECT, a relocatable ELF64 file of this machine, which is changed in place.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SHF_GNU_RETAIN
#define SHF_GNU_RETAIN (1 << 21)
#endif

static int fail(const char *path, const char *why) {
    fprintf(stderr, "unretain: %s: %s\n", path, why);
    return 1;
}

static int starts_with(const char *name, const char *start) { return strncmp(name, start, strlen(start)) == 0; }

/* Names that are C identifiers, such as swift5_protocols, are of tables that the run time reads from end to end. */
static int is_code_or_data(const char *name) {
    return starts_with(name, ".text.") || starts_with(name, ".rodata") || starts_with(name, ".data");
}

int main(int argc, char **argv) {
    if (argc != 2)
        return fail("OBJECT", "give one file");
    const char *path = argv[1];
    FILE *file = fopen(path, "r+b");
    if (file == NULL)
        return fail(path, "cannot be opened");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    char *bytes = size > 0 ? malloc((size_t)size) : NULL;
    rewind(file);
    if (bytes == NULL || fread(bytes, 1, (size_t)size, file) != (size_t)size)
        return fail(path, "cannot be read");

    const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
    if ((size_t)size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_type != ET_REL || header->e_shoff == 0)
        return fail(path, "is no ELF64 object");
    Elf64_Shdr *sections = (Elf64_Shdr *)(bytes + header->e_shoff);
    /* Where there are more than 65,279 sections, the first one says how many, and which has the names. */
    size_t count = header->e_shnum != 0 ? header->e_shnum : sections->sh_size;
    size_t names = header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx : sections->sh_link;
    if (header->e_shoff + count * sizeof *sections > (size_t)size || names >= count)
        return fail(path, "is cut short");
    for (size_t i = 0; i < count; i++)
        if (is_code_or_data(bytes + sections[names].sh_offset + sections[i].sh_name))
            sections[i].sh_flags &= ~(Elf64_Xword)SHF_GNU_RETAIN;

    rewind(file);
    if (fwrite(bytes, 1, (size_t)size, file) != (size_t)size || fclose(file) != 0)
        return fail(path, "cannot be written");
    free(bytes);
    return 0;
}
