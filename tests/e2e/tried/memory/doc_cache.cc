// SPDX-License-Identifier: GPL-2.0-or-later
// Cache of parsed documents: a reference is given out under the lock, used after it; eviction frees it.
#include <cassert>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

struct Document {
    std::string title;
    size_t words = 0;
};

class DocumentCache {
public:
    explicit DocumentCache(size_t capacity) : capacity_(capacity) {}
#ifdef FIXED
    std::shared_ptr<Document> get(const std::string &name)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        auto it = docs_.find(name);
        if (it == docs_.end()) it = insert(name);
        return it->second;
    }
#else
    Document *get(const std::string &name)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        auto it = docs_.find(name);
        if (it == docs_.end()) it = insert(name);
        return it->second.get();
    }
#endif

private:
    using Map = std::unordered_map<std::string, std::shared_ptr<Document>>;
    Map::iterator insert(const std::string &name)
    {
        while (docs_.size() >= capacity_) {
            docs_.erase(order_.back());
            order_.pop_back();
        }
        auto doc = std::make_shared<Document>();
        doc->title = "Document " + name;
        doc->words = doc->title.size();
        order_.push_front(name);
        return docs_.emplace(name, std::move(doc)).first;
    }
    std::mutex mutex_;
    Map docs_;
    std::list<std::string> order_;
    size_t capacity_;
};

static size_t render(DocumentCache &cache, const std::string &name)
{
    auto doc = cache.get(name);
    return doc->title.size() + doc->words;
}

int main()
{
    DocumentCache cache(1);
    size_t first = 0, second = 0;
    std::thread a([&] { first = render(cache, "readme"); });
    std::thread b([&] { second = render(cache, "license"); });
    a.join();
    b.join();
    assert(first == 30 && second == 32);
    return 0;
}
