#include "config/config_testing.h"

namespace sluice::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Environment, SetsWhatItNames) {
  const Loaded loaded = load_with({}, {"HOME=/root", "SLUICE_LOOPS=5", "SLUICE_HTTP_LISTEN=off", "SLUICE_DEMO=true"});
  ASSERT_THAT(told(loaded.faults), IsEmpty());
  EXPECT_EQ(loaded.settings->loops, 5);
  EXPECT_TRUE(loaded.settings->http.listen.empty());
  EXPECT_TRUE(loaded.settings->demo);
}

TEST(Environment, WithNamesThatAreNoSettingsIsRefused) {
  EXPECT_THAT(told(load_with({}, {"SLUICE_LOPS=5", "SLUICE_HTTP_PORT=8080"}).faults),
              ElementsAre("SLUICE_LOPS: there is no setting of this name\n  hint: did you mean 'SLUICE_LOOPS'?",
                          "SLUICE_HTTP_PORT: there is no setting of this name\n  hint: did you mean "
                          "'SLUICE_HTTP_LISTEN'?"));
}

TEST(Environment, OfAServiceThatKubernetesKnowsIsLeftAlone) {
  const Loaded loaded = load_with(
      {}, {"SLUICE_PORT=tcp://10.0.0.1:80", "SLUICE_SERVICE_HOST=10.0.0.1", "SLUICE_SERVICE_PORT=80",
           "SLUICE_SERVICE_PORT_HTTP=80", "SLUICE_PORT_80_TCP=tcp://10.0.0.1:80", "SLUICE_PORT_80_TCP_PROTO=tcp",
           "SLUICE_ADMIN_PORT=tcp://10.0.0.1:80", "SLUICE_ADMIN_PORT_8090_TCP_ADDR=10.0.0.1"});
  EXPECT_THAT(told(loaded.faults), IsEmpty());
  EXPECT_EQ(load_with({}, {"SLUICE_PORT=8080"}).faults.size(), 1U);
  EXPECT_EQ(load_with({}, {"SLUICE_PORT_HTTP=8080"}).faults.size(), 1U);
}

TEST(Environment, WithBadValuesSaysWhatWouldBeRight) {
  EXPECT_THAT(
      told(load_with({}, {"SLUICE_LOOPS=many", "SLUICE_LOG_LEVEL=inf", "SLUICE_DEMO=yes", "SLUICE_HTTP_MAX_BATCH=0",
                          "SLUICE_HTTP_IDLE_TIMEOUT=75", "SLUICE_HTTP_MAX_BODY_BYTES=1T", "SLUICE_ADMIN_TOKEN="})
               .faults),
      ElementsAre("SLUICE_LOOPS: loops must be a whole number from 0 to 1024, but is 'many'",
                  "SLUICE_LOG_LEVEL: log.level must be debug, info, warn or error, but is 'inf'\n"
                  "  hint: did you mean 'info'?",
                  "SLUICE_DEMO: demo must be true or false, but is 'yes'",
                  "SLUICE_HTTP_MAX_BATCH: http.max_batch must be from 1 to 100000, but is 0",
                  "SLUICE_HTTP_IDLE_TIMEOUT: http.idle_timeout must be a time such as 500ms, 75s or 1h, but is '75'\n"
                  "  hint: a unit is missing: write 75s for seconds",
                  "SLUICE_HTTP_MAX_BODY_BYTES: http.max_body_bytes must be a number of bytes such as 65536, 64KiB or "
                  "1GiB, but is '1T'",
                  "SLUICE_ADMIN_TOKEN: admin.token must not be empty\n  hint: leave it out where no token is wanted"));
}

}  // namespace
}  // namespace sluice::config
