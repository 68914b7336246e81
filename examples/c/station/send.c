/* station-send SOCKET SENSOR CELSIUS */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int main(int count, char **words) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char text[128];
    if (count != 4) {
        fprintf(stderr, "usage: station-send SOCKET SENSOR CELSIUS\n");
        return 2;
    }
    snprintf(address.sun_path, sizeof address.sun_path, "%s", words[1]);
    snprintf(text, sizeof text, "%s %s", words[2], words[3]);
    int descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (sendto(descriptor, text, strlen(text), 0, (struct sockaddr *)&address, sizeof address) >= 0)
        return 0;
    perror(words[1]);
    return 1;
}
