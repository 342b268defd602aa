/* SPDX-License-Identifier: GPL-2.0-or-later */
// A reference count that is decremented and then looked at again: both owners can see zero and delete the object.
#include <atomic>
#include <thread>

namespace {

struct Image {
	std::atomic<int> owners{2};
	int pixels[4] = {};
};

void drop(Image *image)
{
	image->owners.fetch_sub(1);
	if (image->owners.load() == 0)
		delete image;
}

} // namespace

int main()
{
	Image *image = new Image;
	std::thread first(drop, image);
	std::thread second(drop, image);

	first.join();
	second.join();
	return 0;
}
