/* The questions of questions.json as statements, by theme. */
#ifndef QUESTIONS_H
#define QUESTIONS_H

#include "builders.h"

typedef struct question {
    const char *name;
    corm_statement *(*select)(void);
} question;

#define QUESTION(function) {#function, function}

/* Each ends with a question without name. */
extern const question catalog_questions[], sales_questions[], people_questions[], playlist_questions[];

/* Of whole tracks; it is run page by page. */
corm_statement *tracks_page_by_page(void);

#endif
