/* Power cuts: the files as they may be when the power goes between two calls. */
#ifndef CUTS_H
#define CUTS_H

#include "disk.h"

/* How many sets of files a cut is tried with at least: nothing of what was not synced, all, all but names, names alone. */
#define FIXED_VARIANTS 4

/*
 * Puts into a folder what may be left of the first `count` events. What was synced is there. Of what was not, any part may be: each
 * sector of 512 bytes as it was after any of its writes, the file as long as it was after any of them, names up to any of their
 * changes. Variants from FIXED_VARIANTS on are by chance, each the same whenever it is asked for.
 */
void put_cut(const recording *recording, size_t count, unsigned variant, unsigned seed, const char *folder);

#endif
