/* Answers the questions: for each a line with its name as JSON, then a line for each row. usage: chinook DATABASE */
#include "questions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static corm_database *db;
static corm_error *error;

/* Ends the program where the call fails. */
static corm_status check(corm_status status) {
    if (status < 0) {
        fprintf(stderr, "chinook: %s\n", corm_error_message(error));
        exit(1);
    }
    return status;
}

static void print_text(const char *text) {
    if (text == NULL) {
        printf("null");
        return;
    }
    putchar('"');
    for (; *text != '\0'; text += 1) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void print_value(const corm_value *value) {
    char number[32];
    switch (value->type) {
    case CORM_VALUE_INTEGER:
        printf("%lld", (long long)value->as.integer);
        break;
    case CORM_VALUE_REAL:
        snprintf(number, sizeof number, "%.17g", value->as.real);
        printf("%s%s", number, strpbrk(number, ".e") == NULL ? ".0" : "");
        break;
    case CORM_VALUE_TEXT:
        print_text(value->as.bytes.data);
        break;
    default:
        printf("null");
    }
}

/* As arrays, for two columns may have one name, which no JSON object can have. */
static void print_rows(const corm_statement *select) {
    corm_result *result;
    corm_status status = corm_result_open_statement(db, select, CORM_NO_VALUES, &result, &error);
    if (status == CORM_E_UNSUPPORTED) {
        corm_error_free(error);
        error = NULL;
        puts("null");
        return;
    }
    check(status);
    while (check(corm_result_next(result, &error)) == CORM_ROW) {
        for (size_t column = 0; column < corm_result_column_count(result); column += 1) {
            corm_value value;
            printf(column == 0 ? "[" : ", ");
            check(corm_result_get(result, column, &value, &error));
            print_value(&value);
        }
        puts("]");
    }
    corm_result_close(result);
}

static void print_track(const track *t) {
    printf("[%lld, ", (long long)t->id);
    print_text(t->name);
    printf(", %lld, %lld, %lld, ", (long long)t->album_id.value, (long long)t->media_type_id,
           (long long)t->genre_id.value);
    print_text(t->composer);
    printf(", %lld, %lld, %.17g]\n", (long long)t->milliseconds, (long long)t->bytes.value, t->unit_price);
}

/* The tracks of all pages: each page follows the last track of the one before. */
static void print_pages(const corm_statement *select) {
    corm_statement *page = corm_statement_copy(select);
    size_t count = 0;
    do {
        const corm_query query = {.struct_size = sizeof query, .statement = page};
        corm_records *records;
        check(corm_query_fetch(db, tracks, &query, &records, &error));
        const track *found = corm_records_data(records);
        count = corm_records_count(records);
        for (size_t i = 0; i < count; i += 1)
            print_track(&found[i]);
        corm_statement_free(page);
        page = corm_statement_copy(select);
        if (count > 0) {
            const track *last = &found[count - 1];
            corm_statement_after(page, CORM_VALUES(corm_value_text(last->composer),
                                                   corm_value_int64(last->milliseconds), corm_value_int64(last->id)));
        }
        corm_records_free(records);
    } while (count > 0);
    corm_statement_free(page);
}

static void answer(const question *questions) {
    for (; questions->name != NULL; questions += 1) {
        corm_statement *select = questions->select();
        printf("\"%s\"\n", questions->name);
        if (questions->select == tracks_page_by_page)
            print_pages(select);
        else
            print_rows(select);
        corm_statement_free(select);
    }
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: chinook DATABASE\n");
        return 2;
    }
    check(corm_database_open(argv[1], NULL, &db, &error));
    check(create_models(&error));
    answer(catalog_questions);
    answer(sales_questions);
    answer(people_questions);
    answer(playlist_questions);
    check(corm_database_close(db, &error));
    free_models();
    return 0;
}
