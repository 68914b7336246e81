/* Structs tied to their models: as it stands it compiles, as C and as C++; with -DWRONG=1 and so on it must not. */
#include <cormorant.h>

typedef struct person {
    int64_t id;
    const char *name;
} person;

CORM_STRUCT(pet, (int64_t, id, CORM_INT64, .primary_key = true));

typedef struct keeping {
    person who;
    const pet *what;
} keeping;

CORM_DECLARE(person);
CORM_DECLARE(pet);
CORM_DECLARE(keeping);

#ifndef WRONG
#define WRONG 0
#endif

extern const corm_column_def keeping_columns[2];
const corm_column_def keeping_columns[2] = {
#if WRONG == 5
    CORM_NESTED(keeping, who, pet),
#elif WRONG == 6
    CORM_NESTED(keeping, whom, person),
#else
    CORM_NESTED(keeping, who, person),
#endif
    CORM_NESTED(keeping, what, pet),
};

corm_status use(corm_database *db, corm_arena *arena, corm_error **error);
corm_status use(corm_database *db, corm_arena *arena, corm_error **error) {
    person ada = {0, "Ada"};
    pet rex = {0}, *first = NULL;
    person *people = NULL;
    size_t count = 0;
    const person *same = &ada;
    corm_status status = corm_record_save(db, CORM_OF(person, &ada), arena, error);
    status |= corm_record_delete(db, CORM_OF(person, same), error);
    status |= corm_record_save(db, CORM_OF(pet, &rex), arena, error);
    status |= CORM_FETCH(person, db, NULL, arena, &people, &count, error);
    status |= CORM_FIRST(pet, db, NULL, &first, error);
    corm_expr_free(CORM_GE(CORM_COL(person, id), CORM_INT(35)));
#if WRONG == 1
    status |= corm_record_save(db, CORM_OF(person, &rex), arena, error);
#elif WRONG == 2
    status |= CORM_FETCH(pet, db, NULL, arena, &people, &count, error);
#elif WRONG == 3
    corm_expr_free(CORM_COL(pet, name));
#elif WRONG == 4
    status |= corm_record_save(db, CORM_OF(person, ada), arena, error);
#elif WRONG == 7
    status |= CORM_FIRST(person, db, NULL, &first, error);
#elif WRONG == 9
    status |= corm_record_save(db, CORM_OF(person, same), arena, error);
#elif WRONG == 8
    status |= CORM_FIRST(pet, db, NULL, first, error);
#endif
    (void)pet_columns;
    return status;
}
