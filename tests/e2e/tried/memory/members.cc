// SPDX-License-Identifier: GPL-2.0-or-later
// A worker pool owned by a server: members are destroyed in the wrong order, workers still use the metrics.
#include <cstdio>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Metrics {
public:
    void count(const std::string& what)
    {
        std::lock_guard<std::mutex> g(m_);
        counts_[what]++;
    }

private:
    std::mutex m_;
    std::map<std::string, int> counts_;
};

class Workers {
public:
    explicit Workers(int n)
    {
        for (int i = 0; i < n; i++)
            threads_.emplace_back([this] { loop(); });
    }
    ~Workers()
    {
        {
            std::lock_guard<std::mutex> g(m_);
            closed_ = true;
        }
        cv_.notify_all();
        for (auto& t : threads_)
            t.join();
    }
    void post(std::function<void()> f)
    {
        {
            std::lock_guard<std::mutex> g(m_);
            q_.push_back(std::move(f));
        }
        cv_.notify_one();
    }

private:
    void loop()
    {
        for (;;) {
            std::unique_lock<std::mutex> lk(m_);
            cv_.wait(lk, [this] { return closed_ || !q_.empty(); });
            if (q_.empty())
                return;
            auto f = std::move(q_.front());
            q_.pop_front();
            lk.unlock();
            f();
        }
    }
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<std::function<void()>> q_;
    bool closed_ = false;
    std::vector<std::thread> threads_;
};

class Server {
public:
#ifdef FIXED
    Server() : metrics_(std::make_unique<Metrics>()), workers_(1) {}
#else
    Server() : workers_(1), metrics_(std::make_unique<Metrics>()) {}
#endif
    void request(int id)
    {
        workers_.post([this, id] { metrics_->count("request " + std::to_string(id)); });
    }

private:
#ifdef FIXED
    std::unique_ptr<Metrics> metrics_;
    Workers workers_;
#else
    Workers workers_;
    std::unique_ptr<Metrics> metrics_;
#endif
};

int main()
{
    {
        Server s;
        s.request(1);
    }
    puts("down");
}
