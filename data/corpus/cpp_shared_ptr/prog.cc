/* SPDX-License-Identifier: GPL-2.0-or-later */
// One thread copies a global shared_ptr while another one resets it. The count inside is atomic, the pointer is not.
#include <memory>
#include <thread>

namespace {

struct Config {
	int level = 3;
};

std::shared_ptr<Config> config = std::make_shared<Config>();
int level;

void use()
{
	std::shared_ptr<Config> mine = config;

	if (mine)
		level = mine->level;
}

void retire()
{
	config.reset();
}

} // namespace

int main()
{
	std::thread user(use);
	std::thread retirer(retire);

	user.join();
	retirer.join();
	return 0;
}
