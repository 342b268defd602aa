// SPDX-License-Identifier: GPL-2.0-or-later
// Lazy settings: double-checked, published before they are loaded.
#include <atomic>
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>

class Settings {
public:
    static Settings &instance()
    {
        Settings *s = instance_.load(std::memory_order_acquire);
        if (!s) {
            std::lock_guard<std::mutex> lock(mutex_);
            s = instance_.load(std::memory_order_relaxed);
            if (!s) {
                s = new Settings;
#ifdef FIXED
                s->load();
                instance_.store(s, std::memory_order_release);
#else
                instance_.store(s, std::memory_order_release);
                s->load();
#endif
            }
        }
        return *s;
    }
    int get(const std::string &key) const
    {
        auto it = values_.find(key);
        return it == values_.end() ? -1 : it->second;
    }

private:
    Settings() = default;
    void load()
    {
        values_["port"] = 8080;
        values_["workers"] = 4;
    }
    std::map<std::string, int> values_;
    static std::atomic<Settings *> instance_;
    static std::mutex mutex_;
};

std::atomic<Settings *> Settings::instance_{nullptr};
std::mutex Settings::mutex_;

int main()
{
    int port[2] = {0, 0};
    std::thread a([&] { port[0] = Settings::instance().get("port"); });
    std::thread b([&] { port[1] = Settings::instance().get("port"); });
    a.join();
    b.join();
    assert(port[0] == 8080 && port[1] == 8080);
    return 0;
}
