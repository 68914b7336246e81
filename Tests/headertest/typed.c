/* Structs tied to their models: as it stands it compiles, as C and as C++; with -DWRONG=1 and so on it must not. */
#include <cormorant.h>

typedef struct person {
    int64_t id;
    const char *name;
} person;

typedef struct pet {
    int64_t id;
} pet;

CORM_DECLARE(person);
CORM_DECLARE(pet);

#ifndef WRONG
#define WRONG 0
#endif

corm_status use(corm_database *db, corm_arena *arena, corm_error **error);
corm_status use(corm_database *db, corm_arena *arena, corm_error **error) {
    person ada = {0, "Ada"};
    pet rex = {0};
    person *people = NULL;
    size_t count = 0;
    corm_status status = corm_record_save(db, CORM_OF(person, &ada), arena, error);
    status |= corm_record_save(db, CORM_OF(pet, &rex), arena, error);
    status |= CORM_FETCH(person, db, NULL, arena, &people, &count, error);
    corm_expr_free(CORM_GE(CORM_COL(person, id), CORM_INT(35)));
#if WRONG == 1
    status |= corm_record_save(db, CORM_OF(person, &rex), arena, error);
#elif WRONG == 2
    status |= CORM_FETCH(pet, db, NULL, arena, &people, &count, error);
#elif WRONG == 3
    corm_expr_free(CORM_COL(pet, name));
#elif WRONG == 4
    status |= corm_record_save(db, CORM_OF(person, ada), arena, error);
#endif
    return status;
}
