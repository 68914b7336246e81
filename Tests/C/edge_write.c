/* edge_write FILE: see Tests/Conformance/README.md, "Edge values across languages". */
#include "edge_values.h"

#include <stdio.h>

int main(int argument_count, char **arguments) {
    if (argument_count != 2) {
        fputs("usage: edge_write FILE\n", stderr);
        return 2;
    }
    return edge_values_write(arguments[1]) ? 0 : 1;
}
