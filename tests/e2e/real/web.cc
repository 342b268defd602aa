/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpp-httplib (libcpp-httplib-dev): a server with a pool of two threads and its client, on loopback. The library has time limits, and a limit may
 * pass at any time: so the client asks again. */
#include <httplib.h>

#include <cassert>
#include <thread>

int main()
{
	httplib::Server server;

	server.new_task_queue = [] { return new httplib::ThreadPool(2); };
	server.Get("/hi", [](const httplib::Request &, httplib::Response &answer) { answer.set_content("hello", "text/plain"); });

	const int port = server.bind_to_any_port("127.0.0.1");
	std::thread thread([&] { server.listen_after_bind(); });

	while (!server.is_running())
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
	{
		httplib::Client client("127.0.0.1", port);
		auto answer = client.Get("/hi");

		for (int i = 0; i < 3 && !answer; i++)
			answer = client.Get("/hi");
		assert(answer && answer->status == 200 && answer->body == "hello");
	}
	server.stop();
	thread.join();
}
