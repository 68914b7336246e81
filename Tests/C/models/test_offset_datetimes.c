/* Times that keep their offsets, in structs and as values. */
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef struct mail {
    int64_t id;
    corm_offset_datetime sent;
    corm_optional_offset_datetime seen;
} mail;

static const corm_column_def mail_columns[] = {
    CORM_COLUMN(mail, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(mail, sent, CORM_OFFSET_DATETIME),
    CORM_COLUMN(mail, seen, CORM_OFFSET_DATETIME),
};
static const corm_model_def mail_def = CORM_MODEL(mail, "Mail", mail_columns);
static corm_model *model;

static const int64_t noon = 1769860800000000; /* 2026-01-31 12:00 UTC */

static int set_up_mail(void **state) {
    set_up(state);
    OK(corm_model_create(&mail_def, &model, &failure));
    OK(corm_model_create_tables(db, CORM_MODELS(model), &failure));
    return 0;
}

static int tear_down_mail(void **state) {
    corm_model_free(model);
    return tear_down(state);
}

static void a_struct_keeps_the_moment_and_the_offset(void **state) {
    (void)state;
    mail sent[] = {{.sent = {noon, 9 * 3600}, .seen = {true, {noon + 1, -(5 * 3600 + 30 * 60)}}},
                   {.sent = {noon, -1}, .seen = {0}}};
    mail read;
    memset(&read, 0xFF, sizeof read);
    for (int i = 0; i < 2; i++)
        OK(corm_record_insert(db, model, &sent[i], CORM_CONFLICT_ABORT, NULL, &failure));
    assert_string_equal(select_text("SELECT group_concat(sent || ifnull(seen, '-'), ' ') FROM mail"),
                        "2026-01-31 12:00:00.000000Z[+09:00]2026-01-31 12:00:00.000001Z[-05:30] "
                        "2026-01-31 12:00:00.000000Z[-00:00:01]-");
    OK(corm_record_find(db, model, CORM_VALUES(corm_value_int64(1)), &read, NULL, &failure));
    assert_true(read.sent.microseconds == noon && read.sent.offset_seconds == 9 * 3600);
    assert_true(read.seen.has_value && read.seen.value.microseconds == noon + 1);
    assert_true(read.seen.value.offset_seconds == -(5 * 3600 + 30 * 60));
    OK(corm_record_find(db, model, CORM_VALUES(corm_value_int64(2)), &read, NULL, &failure));
    assert_true(read.sent.offset_seconds == -1 && !read.seen.has_value);
}

static void an_offset_of_a_day_and_a_year_beyond_are_refused(void **state) {
    (void)state;
    const corm_offset_datetime bad[] = {{noon, 86400},           {noon, -86400},  {noon, INT32_MAX},
                                        {INT64_MAX, 0},          {INT64_MIN, -1}, {253402300799999999, 1},
                                        {-62135596800000000, -1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mail record = {.sent = bad[i]};
        GIVES(CORM_E_RANGE, corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure));
        GIVES(CORM_E_RANGE,
              corm_database_execute(db, "SELECT ?", CORM_VALUES(corm_value_offset_datetime(bad[i])), NULL, &failure));
    }
    assert_int_equal(select_int("SELECT count(*) FROM mail"), 0);
}

static void values_are_moments_to_conditions(void **state) {
    (void)state;
    mail record = {.sent = {noon, 3600}};
    corm_value value = corm_value_named("sent", corm_value_offset_datetime((corm_offset_datetime){noon, 0}));
    corm_value number = corm_value_named("sent", corm_value_int64(noon));
    int64_t count = 0;
    OK(corm_record_insert(db, model, &record, CORM_CONFLICT_ABORT, NULL, &failure));
    OK(corm_query_count(db, model, CORM_QUERY(.values = &value, .value_count = 1), &count, &failure));
    assert_int_equal(count, 1);
    /* An integer says no offset. */
    GIVES(CORM_E_TYPE, corm_query_count(db, model, CORM_QUERY(.values = &number, .value_count = 1), &count, &failure));
    corm_statement *statement = corm_statement_create(CORM_SELECT, model, NULL);
    corm_statement_add(statement, CORM_CLAUSE_WHERE,
                       CORM_GE(corm_expr_column(model, "sent"), corm_expr_parameter("when")));
    value.name = "when";
    OK(corm_query_count(db, model, CORM_QUERY(.statement = statement, .values = &value, .value_count = 1), &count,
                        &failure));
    assert_int_equal(count, 1);
    value.as.offset_datetime.microseconds += 1;
    OK(corm_query_count(db, model, CORM_QUERY(.statement = statement, .values = &value, .value_count = 1), &count,
                        &failure));
    assert_int_equal(count, 0);
    corm_statement_free(statement);
}

static void a_field_of_another_type_is_refused(void **state) {
    (void)state;
    typedef struct wrong {
        corm_optional_int64 sent;
    } wrong;
    const corm_column_def columns[] = {CORM_COLUMN(wrong, sent, CORM_OFFSET_DATETIME)};
    const corm_model_def def = CORM_MODEL(wrong, "Wrong", columns);
    corm_model *made = NULL;
    GIVES(CORM_E_MODEL, corm_model_create(&def, &made, &failure));
    typedef struct other {
        corm_offset_datetime sent;
    } other;
    const corm_column_def others[] = {CORM_COLUMN(other, sent, CORM_DATETIME)};
    const corm_model_def other_def = CORM_MODEL(other, "Other", others);
    GIVES(CORM_E_MODEL, corm_model_create(&other_def, &made, &failure));
}

#define MAIL(function) cmocka_unit_test_setup_teardown(function, set_up_mail, tear_down_mail)

int main(void) {
    const struct CMUnitTest tests[] = {
        MAIL(a_struct_keeps_the_moment_and_the_offset),
        MAIL(an_offset_of_a_day_and_a_year_beyond_are_refused),
        MAIL(values_are_moments_to_conditions),
        MAIL(a_field_of_another_type_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
