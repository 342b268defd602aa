// SPDX-License-Identifier: GPL-2.0-or-later
// A class whose constructor starts nothing and whose destructor stops the thread: too late for what is derived from it.
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

class Periodic {
public:
    Periodic() = default;
    virtual ~Periodic() { stop(); }

    void start()
    {
        thread_ = std::thread([this] { loop(); });
    }
    void stop()
    {
        {
            std::lock_guard<std::mutex> g(m_);
            quit_ = true;
        }
        cv_.notify_all();
        if (thread_.joinable())
            thread_.join();
    }

protected:
    virtual void tick() = 0;

private:
    void loop()
    {
        std::unique_lock<std::mutex> lk(m_);
        while (!quit_) {
            lk.unlock();
            tick();
            lk.lock();
            cv_.wait_for(lk, std::chrono::milliseconds(10), [this] { return quit_; });
        }
    }
    std::mutex m_;
    std::condition_variable cv_;
    bool quit_ = false;
    std::thread thread_;
};

class Sampler : public Periodic {
public:
    explicit Sampler(int* total) : samples_(new std::vector<int>), total_(total) {}
    ~Sampler() override
    {
#ifdef FIXED
        stop();
#endif
        *total_ = (int)samples_->size();
        delete samples_;
        samples_ = nullptr;
    }

protected:
    void tick() override { samples_->push_back(1); }

private:
    std::vector<int>* samples_;
    int* total_;
};

int main()
{
    int total = 0;
    {
        Sampler s(&total);
        s.start();
    }
    printf("%d samples\n", total);
    assert(total >= 0);
}
