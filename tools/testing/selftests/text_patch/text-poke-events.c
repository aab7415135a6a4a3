// SPDX-License-Identifier: GPL-2.0
/*
 * text-poke-events ADDRESS COMMAND: what perf is told of changes of the 16 bytes
 * at ADDRESS while the shell runs COMMAND, a line "OLD NEW" in hex each.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES	64

struct text_poke {
	struct perf_event_header header;
	uint64_t addr;
	uint16_t old_len;
	uint16_t new_len;
	unsigned char bytes[64];
};

static struct perf_event_mmap_page *listen_on(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.text_poke = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
	void *ring;

	if (fd < 0)
		return NULL;
	ring = mmap(NULL, (1 + PAGES) * getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return ring == MAP_FAILED ? NULL : ring;
}

static void show_bytes(const unsigned char *b, unsigned int len, char end)
{
	while (len--)
		printf("%02x", *b++);
	putchar(end);
}

static void show(struct perf_event_mmap_page *ring, uint64_t addr)
{
	const unsigned char *data = (unsigned char *)ring + getpagesize();
	const uint64_t size = (uint64_t)PAGES * getpagesize();
	const uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = 0;

	while (at < head) {
		struct text_poke r;
		unsigned int i;

		for (i = 0; i < sizeof(r); i++)
			((unsigned char *)&r)[i] = data[(at + i) % size];
		if (r.header.type == PERF_RECORD_LOST)
			printf("lost\n");
		if (r.header.type == PERF_RECORD_TEXT_POKE && r.addr >= addr &&
		    r.addr < addr + 16 && r.old_len + r.new_len <= sizeof(r.bytes)) {
			show_bytes(r.bytes, r.old_len, ' ');
			show_bytes(r.bytes + r.old_len, r.new_len, '\n');
		}
		at += r.header.size;
	}
}

int main(int argc, char **argv)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct perf_event_mmap_page *ring[64];
	long cpu;

	if (argc != 3 || cpus > 64)
		return 2;
	for (cpu = 0; cpu < cpus; cpu++) {
		ring[cpu] = listen_on(cpu);
		if (!ring[cpu]) {
			perror("perf");
			return 1;
		}
	}
	if (system(argv[2]))
		return 1;
	for (cpu = 0; cpu < cpus; cpu++)
		show(ring[cpu], strtoull(argv[1], NULL, 16));
	return 0;
}
