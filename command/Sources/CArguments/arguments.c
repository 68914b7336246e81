// Swift reads a program's arguments from /proc, and where that is not mounted, in a chroot or early in a boot, finds
// none. glibc gives them to constructors, too.
#if __has_include(<features.h>)
#include <features.h>
#endif

#ifdef __GLIBC__
void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count);

__attribute__((constructor)) static void give_arguments(int count, char **arguments) {
    _swift_stdlib_overrideUnsafeArgvArgc(arguments, count);
}
#endif
