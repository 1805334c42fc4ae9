#include "rules/file/reloader.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/time.h>

#include <atomic>

#include "rules/file/files_testing.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr FileWatch::Options kByEvents{20ms, 400ms, 1h, true};

// A language of one word: what begins with `bad`, or cannot be read, has a fault. The text becomes a policy's id.
Loaded load_word(const std::string& path) {
  const std::string text = read_whole(path);
  if (text.empty() || text.starts_with("bad")) return {nullptr, {Fault{path, 1, 1, "", "it says '" + text + "'", ""}}};
  auto rules = std::make_shared<RuleSet>();
  rules->policies.emplace_back().id = text;
  return {rules, {}};
}

// Runs a Reloader and keeps what it says.
class Kept {
 public:
  explicit Kept(Reloader::Options options, Reloader::Loader load = load_word)
      : reloader_(std::move(options), counted(std::move(load)),
                  {[this](auto rules) { keep(std::move(rules)); }, [this](const auto& faults) { keep(faults); }}) {}

  Reloader& operator*() { return reloader_; }
  Reloader* operator->() { return &reloader_; }

  std::string word() const {
    const std::lock_guard lock(mutex_);
    return rules_ ? rules_->policies.at(0).id : "";
  }
  std::vector<std::string> complaints() const {
    const std::lock_guard lock(mutex_);
    return complaints_;
  }
  int loads() const { return loads_; }

 private:
  Reloader::Loader counted(Reloader::Loader load) {
    return [this, load = std::move(load)](const std::string& path) {
      Loaded loaded = load(path);
      ++loads_;
      return loaded;
    };
  }
  void keep(std::shared_ptr<const RuleSet> rules) {
    const std::lock_guard lock(mutex_);
    rules_ = std::move(rules);
  }
  void keep(const std::vector<Fault>& faults) {
    const std::lock_guard lock(mutex_);
    for (const Fault& fault : faults) complaints_.push_back(fault.message);
  }

  std::atomic<int> loads_{0};
  mutable std::mutex mutex_;
  std::shared_ptr<const RuleSet> rules_;
  std::vector<std::string> complaints_;
  Reloader reloader_;
};

class Reloading : public ::testing::Test {
 protected:
  Reloader::Options options(const std::string& path) const { return {path, {}, false, kByEvents}; }
  // Has seen a change long enough after it for the Reloader, whose quiet is shorter, to be done with it.
  FileWatch witness() const { return FileWatch({file_}, {200ms, 2000ms, 1h, true}); }

  TempFolder folder_;
  const std::string file_ = folder_ / "rules.json";
};

TEST_F(Reloading, TheFirstLoadIsDoneWhenTheConstructorReturns) {
  write_in_place(file_, "one");
  const auto before = std::chrono::system_clock::now();
  Kept kept(options(file_));
  EXPECT_EQ(kept.word(), "one");
  const auto status = kept->status();
  EXPECT_EQ(status.generation, 1u);
  EXPECT_EQ(status.refused, 0u);
  EXPECT_TRUE(status.is_current);
  EXPECT_THAT(status.faults, IsEmpty());
  EXPECT_GE(status.loaded_at, before);
}

TEST_F(Reloading, AFileThatIsBadFromTheStartLeavesNoRulesUntilItIsGood) {
  write_in_place(file_, "bad");
  Kept kept(options(file_));
  EXPECT_EQ(kept->status().generation, 0u);
  EXPECT_EQ(kept->status().refused, 1u);
  EXPECT_THAT(kept->status().faults, SizeIs(1));
  replace(file_, "good");
  EXPECT_TRUE(comes_true([&] { return kept.word() == "good"; }));
}

TEST_F(Reloading, EveryWayToChangeTheFileBringsItsRules) {
  write_in_place(file_, "one");
  Kept kept(options(file_));
  const auto becomes = [&](const std::string& word) { return comes_true([&] { return kept.word() == word; }); };
  write_in_place(file_, "in place");
  EXPECT_TRUE(becomes("in place"));
  replace(file_, "by rename");
  EXPECT_TRUE(becomes("by rename"));
  fs::remove(file_);
  EXPECT_TRUE(comes_true([&] { return !kept->status().is_current; }));
  write_in_place(file_, "created");
  EXPECT_TRUE(becomes("created"));
  write_in_place(folder_ / "other", "by symlink");
  fs::remove(file_);
  fs::create_symlink("other", file_);
  EXPECT_TRUE(becomes("by symlink"));
}

TEST_F(Reloading, ASwappedConfigMapBringsItsRules) {
  ConfigMapVolume volume(folder_ / "config");
  volume.publish("one");
  Kept kept(options(volume.file()));
  for (const std::string word : {"two", "three", "four"}) {
    volume.publish(word);
    EXPECT_TRUE(comes_true([&] { return kept.word() == word; })) << word;
  }
  EXPECT_THAT(kept.complaints(), IsEmpty());
}

TEST_F(Reloading, ABadFileKeepsTheLastGoodRulesAndSaysSoUntilTheNextGoodOne) {
  write_in_place(file_, "good");
  Kept kept(options(file_));
  const auto first = kept->status();
  replace(file_, "bad luck");
  ASSERT_TRUE(comes_true([&] { return !kept->status().is_current; }));
  EXPECT_EQ(kept.word(), "good");
  EXPECT_THAT(kept.complaints(), ElementsAre("it says 'bad luck'"));
  const auto bad = kept->status();
  EXPECT_EQ(bad.generation, 1u);
  EXPECT_EQ(bad.refused, 1u);
  EXPECT_EQ(bad.loaded_at, first.loaded_at);
  ASSERT_THAT(bad.faults, SizeIs(1));
  EXPECT_EQ(bad.faults[0].message, "it says 'bad luck'");
  replace(file_, "better");
  ASSERT_TRUE(comes_true([&] { return kept->status().is_current; }));
  EXPECT_EQ(kept.word(), "better");
  EXPECT_EQ(kept->status().generation, 2u);
  EXPECT_THAT(kept->status().faults, IsEmpty());
}

TEST_F(Reloading, GoingBackToTheLastGoodContentIsAGenerationOfItsOwn) {
  write_in_place(file_, "good");
  Kept kept(options(file_));
  replace(file_, "bad");
  ASSERT_TRUE(comes_true([&] { return !kept->status().is_current; }));
  replace(file_, "good");
  EXPECT_TRUE(comes_true([&] { return kept->status().is_current; }));
  EXPECT_EQ(kept->status().generation, 2u);
}

TEST_F(Reloading, TheSameBytesMakeNoGeneration) {
  write_in_place(file_, "same");
  Kept kept(options(file_));
  FileWatch witnessed = witness();
  ASSERT_EQ(utimes(file_.c_str(), nullptr), 0);  // touch
  ASSERT_TRUE(tells_change(witnessed));
  replace(file_, "same");
  ASSERT_TRUE(tells_change(witnessed));
  EXPECT_EQ(kept->status().generation, 1u);
  EXPECT_EQ(kept.loads(), 1);
  write_in_place(file_, "other");
  EXPECT_TRUE(comes_true([&] { return kept->status().generation == 2; }));
}

TEST_F(Reloading, TheSameBadBytesAreComplainedAboutOnce) {
  write_in_place(file_, "good");
  Kept kept(options(file_));
  FileWatch witnessed = witness();
  replace(file_, "bad");
  ASSERT_TRUE(tells_change(witnessed));
  replace(file_, "bad");
  ASSERT_TRUE(tells_change(witnessed));
  EXPECT_THAT(kept.complaints(), SizeIs(1));
}

TEST_F(Reloading, APokeLoadsEvenTheSameBytes) {
  write_in_place(file_, "same");
  Kept kept(options(file_));
  kept->poke();
  EXPECT_TRUE(comes_true([&] { return kept->status().generation == 2; }));
}

TEST_F(Reloading, AFileThatTheRulesDependOnCountsAsTheirOwn) {
  write_in_place(file_, "same");
  write_in_place(folder_ / "key.pem", "old");
  Reloader::Options with_key = options(file_);
  with_key.also = {folder_ / "key.pem"};
  Kept kept(with_key);
  replace(folder_ / "key.pem", "new");
  EXPECT_TRUE(comes_true([&] { return kept->status().generation == 2; }));
}

TEST_F(Reloading, ASighupSentToTheProcessLoadsOnce) {
  block_sighup();
  write_in_place(file_, "same");
  Reloader::Options listening = options(file_);
  listening.on_sighup = true;
  Kept kept(listening);
  for (uint64_t generation = 2; generation <= 4; ++generation) {
    ASSERT_EQ(kill(getpid(), SIGHUP), 0);
    EXPECT_TRUE(comes_true([&] { return kept->status().generation == generation; })) << generation;
  }
  EXPECT_EQ(kept.loads(), 4);
}

TEST_F(Reloading, ASighupWithABadFileKeepsTheRulesAndComplainsEachTime) {
  block_sighup();
  write_in_place(file_, "good");
  Reloader::Options listening = options(file_);
  listening.on_sighup = true;
  Kept kept(listening);
  write_in_place(file_, "bad");
  ASSERT_TRUE(comes_true([&] { return !kept.complaints().empty(); }));
  const size_t before = kept.complaints().size();
  ASSERT_EQ(kill(getpid(), SIGHUP), 0);
  EXPECT_TRUE(comes_true([&] { return kept.complaints().size() > before; }));
  EXPECT_EQ(kept.word(), "good");
}

TEST_F(Reloading, OfTwoHundredRapidSwapsTheLastIsInForceInTheEnd) {
  write_in_place(file_, "start");
  Reloader::Options quick = options(file_);
  quick.watch.quiet = 1ms;
  quick.watch.longest = 5ms;
  Kept kept(quick);
  for (int i = 1; i <= 200; ++i) {
    if (i % 3 == 0) {
      write_in_place(file_, "swap " + std::to_string(1000 + i));
    } else {
      replace(file_, "swap " + std::to_string(1000 + i));
    }
  }
  EXPECT_TRUE(comes_true([&] { return kept.word() == "swap 1200" && kept->status().is_current; })) << kept.word();
}

TEST_F(Reloading, OfTwoHundredRapidConfigMapSwapsTheLastIsInForceInTheEnd) {
  ConfigMapVolume volume(folder_ / "config");
  volume.publish("start");
  Reloader::Options quick = options(volume.file());
  quick.watch.quiet = 1ms;
  quick.watch.longest = 5ms;
  Kept kept(quick);
  for (int i = 1; i <= 200; ++i) volume.publish("swap " + std::to_string(1000 + i));
  EXPECT_TRUE(comes_true([&] { return kept.word() == "swap 1200" && kept->status().is_current; })) << kept.word();
}

TEST_F(Reloading, StatusAndPokesFromManyThreadsAgreeInTheEnd) {
  write_in_place(file_, "word");
  Kept kept(options(file_));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      uint64_t last = 0;
      for (int n = 0; n < 200; ++n) {
        kept->poke();
        const auto status = kept->status();
        EXPECT_GE(status.generation, last);
        last = status.generation;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const uint64_t before = kept->status().generation;
  kept->poke();
  EXPECT_TRUE(comes_true([&] { return kept->status().generation > before; }));
}

TEST_F(Reloading, StoppingWaitsForNothing) {
  write_in_place(file_, "word");
  const auto started = std::chrono::steady_clock::now();
  for (int i = 0; i < 50; ++i) Kept kept(options(file_));
  EXPECT_LT(std::chrono::steady_clock::now() - started, 5s);
}

TEST_F(Reloading, TheThreadHasAName) {
  write_in_place(file_, "word");
  std::string name;
  Kept kept(options(file_), [&](const std::string& path) {
    name = read_whole("/proc/thread-self/comm");
    return load_word(path);
  });
  kept->poke();
  ASSERT_TRUE(comes_true([&] { return kept->status().generation == 2; }));
  EXPECT_EQ(name, "sluice-reload\n");
}

}  // namespace
}  // namespace sluice::rules
