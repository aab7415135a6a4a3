// SPDX-License-Identifier: GPL-2.0
/*
 * What it costs to write into a file: one open, write and close.
 *
 * usage: flip FILE VALUE
 *
 * To be linked statically, so that nothing else happens.
 */
#include <fcntl.h>
#include <unistd.h>

#include "cost.h"

int main(int argc, char **argv)
{
	char what[256];
	struct cost cost;
	int fd, wrote;

	if (argc != 3) {
		fprintf(stderr, "usage: flip FILE VALUE\n");
		return 2;
	}
	snprintf(what, sizeof(what), "%s %s", argv[1], argv[2]);
	cost_begin(&cost);
	fd = open(argv[1], O_WRONLY | O_TRUNC);
	wrote = fd < 0 ? -1 : (int)write(fd, argv[2], strlen(argv[2]));
	close(fd);
	if (wrote < 0) {
		perror(argv[1]);
		return 1;
	}
	cost_end(&cost, what);
	return 0;
}
