// From C++17: structs with default values, handles that free themselves, exceptions.
#include <cormorant.h>
#include <iostream>
#include <memory>
#include <stdexcept>

// Handles that free themselves.
struct Free {
    void operator()(corm_database *database) const { corm_database_close(database, nullptr); }
    void operator()(corm_model *model) const { corm_model_free(model); }
    void operator()(corm_records *records) const { corm_records_free(records); }
    void operator()(corm_error *error) const { corm_error_free(error); }
};
template <typename Handle> using Owned = std::unique_ptr<Handle, Free>;

// A failed call throws; statuses that are no errors come back.
template <typename Call> corm_status check(Call call) {
    corm_error *error = nullptr;
    corm_status status = call(&error);
    Owned<corm_error> owned(error);
    if (status < 0)
        throw std::runtime_error(corm_error_message(error));
    return status;
}

// What a call makes through a pointer, as an owned handle.
template <typename Handle, typename Call> Owned<Handle> make(Call call) {
    Handle *handle = nullptr;
    check([&](corm_error **error) { return call(&handle, error); });
    return Owned<Handle>(handle);
}

struct artist {
    int64_t id;
    const char *name;
};

static const corm_column_def artist_columns[] = {
    CORM_COLUMN(artist, id, CORM_INT64, .primary_key = true),
    CORM_COLUMN(artist, name, CORM_TEXT, .not_null = true),
};
static const corm_model_def artist_def = CORM_MODEL(artist, "Artist", artist_columns);

int main() {
    try {
        auto db = make<corm_database>(
            [](auto out, auto error) { return corm_database_open(":memory:", nullptr, out, error); });
        auto artists =
            make<corm_model>([](auto out, auto error) { return corm_model_create(&artist_def, out, error); });
        corm_model *const models[] = {artists.get()};
        check([&](auto error) { return corm_model_create_tables(db.get(), models, 1, error); });
        artist two[] = {{0, "Nina"}, {0, "Otto"}};
        check([&](auto error) {
            return corm_record_insert_many(db.get(), artists.get(), two, 2, CORM_CONFLICT_ABORT, nullptr, nullptr,
                                           error);
        });
        auto records = make<corm_records>(
            [&](auto out, auto error) { return corm_query_fetch(db.get(), artists.get(), nullptr, out, error); });
        auto found = static_cast<const artist *>(corm_records_data(records.get()));
        for (size_t i = 0; i < corm_records_count(records.get()); i++)
            std::cout << found[i].id << " " << found[i].name << "\n";
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
