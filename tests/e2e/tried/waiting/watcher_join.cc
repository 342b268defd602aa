// SPDX-License-Identifier: GPL-2.0-or-later
// A watcher is stopped under the lock that its callback takes.
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class Watcher {
public:
    explicit Watcher(std::function<void()> on_change) : on_change_(std::move(on_change)) {}
    void start()
    {
        thread_ = std::thread([this] {
            if (!stop_) on_change_();
        });
    }
    void stop()
    {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }

private:
    std::function<void()> on_change_;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

class Project {
public:
    void open()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        watcher_ = std::make_unique<Watcher>([this] { reload(); });
        watcher_->start();
    }
    void close()
    {
#ifdef FIXED
        std::unique_ptr<Watcher> watcher;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            watcher = std::move(watcher_);
        }
        watcher->stop();
#else
        std::lock_guard<std::mutex> lock(mutex_);
        watcher_->stop();
        watcher_.reset();
#endif
    }

private:
    void reload()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        files_.push_back(1);
    }
    std::mutex mutex_;
    std::unique_ptr<Watcher> watcher_;
    std::vector<int> files_;
};

int main()
{
    Project project;
    project.open();
    project.close();
    return 0;
}
