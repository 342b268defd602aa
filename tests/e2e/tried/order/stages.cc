// SPDX-License-Identifier: GPL-2.0-or-later
// Two stages: the second leaves when the first says it is done, without looking once more.
#include <atomic>
#include <cassert>
#include <mutex>
#include <queue>
#include <thread>

template <class T>
class Channel {
public:
    void put(T v)
    {
        std::lock_guard<std::mutex> g(m_);
        q_.push(std::move(v));
    }
    bool try_get(T &v)
    {
        std::lock_guard<std::mutex> g(m_);
        if (q_.empty()) return false;
        v = std::move(q_.front());
        q_.pop();
        return true;
    }
    void finish() { finished_.store(true); }
    bool finished() const { return finished_.load(); }

private:
    std::mutex m_;
    std::queue<T> q_;
    std::atomic<bool> finished_{false};
};

static void decode(Channel<int> &frames)
{
    for (int i = 1; i <= 2; i++) frames.put(i);
    frames.finish();
}

static int encode(Channel<int> &frames)
{
    int encoded = 0, frame;
    for (;;) {
#ifdef FIXED
        bool last = frames.finished();
#endif
        if (frames.try_get(frame)) {
            encoded += frame;
            continue;
        }
#ifdef FIXED
        if (last) break;
#else
        if (frames.finished()) break;
#endif
        std::this_thread::yield();
    }
    return encoded;
}

int main()
{
    Channel<int> frames;
    int encoded = 0;
    std::thread decoder(decode, std::ref(frames));
    std::thread encoder([&] { encoded = encode(frames); });
    decoder.join();
    encoder.join();
    assert(encoded == 3);
    return 0;
}
