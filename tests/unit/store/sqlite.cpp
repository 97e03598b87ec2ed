#include "store/sqlite.hpp"

#include "home.hpp"

namespace chorus::store {
namespace {

TEST(Statement, brings_every_type_back) {
    const Home home;
    Store store = home.open();
    Statement statement = store.prepare("SELECT ?, ?, ?, ?, ?, ?, ?");
    ASSERT_TRUE(statement
                    .bind(std::int64_t{1} << 62, 0.1, "wört", std::string_view(), or_null(0),
                          or_null(""), std::nullopt)
                    .step());
    EXPECT_EQ(statement.integer(0), std::int64_t{1} << 62);
    EXPECT_EQ(statement.real(1), 0.1);
    EXPECT_EQ(statement.text(2), "wört");
    EXPECT_FALSE(statement.is_null(3));
    for (const int column : {4, 5, 6}) EXPECT_TRUE(statement.is_null(column)) << column;
    EXPECT_EQ(statement.text(6), "");
    EXPECT_EQ(statement.integer(6), 0);
    EXPECT_FALSE(statement.step());
}

TEST(Statement, keeps_nothing_of_its_last_use) {
    const Home home;
    Store store = home.open();
    constexpr std::string_view sql = "SELECT ?";
    { EXPECT_TRUE(store.prepare(sql).bind("secret").step()); }
    Statement statement = store.prepare(sql);
    ASSERT_TRUE(statement.step());
    EXPECT_TRUE(statement.is_null(0));
}

TEST(Statement, copies_what_is_bound) {
    const Home home;
    Store store = home.open();
    Statement statement = store.prepare("SELECT ?");
    {
        std::string temporary(1000, 'a');
        statement.bind(temporary);
        temporary.assign(1000, 'b');
    }
    ASSERT_TRUE(statement.step());
    EXPECT_EQ(statement.text(0), std::string(1000, 'a'));
}

TEST(Statement, reports_sqlites_words) {
    const Home home;
    Store store = home.open();
    const base::Error error = error_of([&] { store.prepare("SELECT absent"); });
    EXPECT_EQ(error.code(), base::ErrorCode::failed);
    EXPECT_EQ(error.message(), "database: no such column: absent");
}

}  // namespace
}  // namespace chorus::store
