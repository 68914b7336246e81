/* The file of a database in the browser: cc -o studio studio.c; Tests/Studio runs it. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

int main(void) {
    /* It prints the address, and ends when the pipe is closed, by pclose or by the end of this program. */
    FILE *studio = popen("corm studio app.db --until-closed", "w");
    if (!studio)
        return 1;
    return pclose(studio);
}
