#include "store/artifacts.hpp"

#include "home.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

TEST(Artifacts, are_kept_once_per_agent_and_id) {
    const Home home;
    Store store = home.open();
    Artifact artifact;
    artifact.agent_id = add_agent(store, "ada");
    artifact.artifact_id = "stdin-1";
    artifact.kind = "file";
    artifact.name = "stdin";
    artifact.mime_type = "text/plain";
    artifact.size_bytes = 70'000;
    artifact.path = "artifacts/stdin-1";
    artifact.created_at = 5;
    const auto insert = [&] { in_transaction(store, [&] { insert_artifact(store, artifact); }); };
    insert();
    EXPECT_THROW(insert(), base::Error);
    artifact.agent_id = add_agent(store, "bob");
    insert();
    Statement statement = store.prepare(
        "SELECT count(*), min(version), min(size), min(status), min(path) FROM artifacts "
        "WHERE artifact_id = 'stdin-1' AND updated_at = 5");
    ASSERT_TRUE(statement.step());
    EXPECT_EQ(statement.integer(0), 2);
    EXPECT_EQ(statement.integer(1), 1);
    EXPECT_EQ(statement.integer(2), 70'000);
    EXPECT_EQ(statement.text(3), "complete");
    EXPECT_EQ(statement.text(4), "artifacts/stdin-1");
}

TEST(Artifacts, are_listed_oldest_first) {
    const Home home;
    Store store = home.open();
    Artifact artifact;
    artifact.agent_id = add_agent(store, "ada");
    artifact.kind = "file";
    for (const base::TimeMs at : {30, 10, 20}) {
        artifact.artifact_id = "stdin-" + std::to_string(at);
        artifact.size_bytes = at;
        artifact.created_at = at;
        in_transaction(store, [&] { insert_artifact(store, artifact); });
    }
    const auto all = list_artifacts(store, artifact.agent_id);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].artifact_id, "stdin-10");
    EXPECT_EQ(all[2].size_bytes, 30);
    EXPECT_EQ(all[2].status, "complete");
    EXPECT_EQ(all[2].updated_at, 30);
    EXPECT_TRUE(list_artifacts(store, add_agent(store, "bob")).empty());
}

}  // namespace
}  // namespace chorus::store
