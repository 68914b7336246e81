/* edge_read FILE: see Tests/Conformance/README.md, "Edge values across languages". */
#include "edge_values.h"

#include <stdio.h>

int main(int argument_count, char **arguments) {
    if (argument_count != 2) {
        fputs("usage: edge_read FILE\n", stderr);
        return 2;
    }
    if (!edge_values_read(arguments[1]))
        return 1;
    printf("ok %d rows\n", EDGE_VALUE_COUNT);
    return 0;
}
