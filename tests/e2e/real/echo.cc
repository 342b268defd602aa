/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asio without boost (libasio-dev): an echo server on two threads and its client, on loopback. */
#include <asio.hpp>

#include <cassert>
#include <thread>

using asio::ip::tcp;

int main()
{
	asio::io_context server, client;
	tcp::acceptor acceptor(server, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
	tcp::socket peer(server), socket(client);
	char request[4], answer[4];

	acceptor.async_accept(peer, [&](std::error_code bad) {
		assert(!bad);
		asio::async_read(peer, asio::buffer(request), [&](std::error_code bad_read, size_t) {
			assert(!bad_read);
			asio::async_write(peer, asio::buffer(request), [](std::error_code, size_t) {});
		});
	});
	std::thread one([&] { server.run(); }), other([&] { server.run(); });
	socket.connect(acceptor.local_endpoint());
	asio::write(socket, asio::buffer("ping", 4));
	asio::read(socket, asio::buffer(answer));
	assert(answer[0] == 'p');
	one.join();
	other.join();
}
