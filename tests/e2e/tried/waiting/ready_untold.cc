// SPDX-License-Identifier: GPL-2.0-or-later
// Start-up: the main thread waits for "ready" without a predicate.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

class Daemon {
public:
    void start()
    {
        thread_ = std::thread([this] { main_loop(); });
        std::unique_lock<std::mutex> lock(mutex_);
#ifdef FIXED
        ready_.wait(lock, [this] { return started_; });
#else
        ready_.wait(lock);
#endif
    }
    void stop() { thread_.join(); }

private:
    void main_loop()
    {
        config_ = "loaded";
        {
            std::lock_guard<std::mutex> lock(mutex_);
            started_ = true;
        }
        ready_.notify_one();
    }
    std::mutex mutex_;
    std::condition_variable ready_;
    bool started_ = false;
    std::string config_;
    std::thread thread_;
};

int main()
{
    Daemon daemon;
    daemon.start();
    daemon.stop();
    return 0;
}
