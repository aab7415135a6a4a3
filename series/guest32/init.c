// SPDX-License-Identifier: GPL-2.0
/*
 * The only program of the 32 bit guest: switches tracers under a load of its
 * own, by both methods, has the torture module patch, and switches off.
 *
 * Built on the kernel's nolibc, so that no 32 bit C library is needed.
 */
#define T	"/sys/kernel/tracing/"

static int failed;

static void say(int good, const char *name)
{
	printf("%s - %s\n", good ? "ok" : "not ok", name);
	failed |= !good;
}

/* Read a file's beginning as a string. */
static const char *text(const char *path)
{
	static char buf[4096];
	const int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, sizeof(buf) - 1);

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return buf;
}

/* Write a word; 0 or the error. */
static int put(const char *path, const char *word)
{
	const int fd = open(path, O_WRONLY | O_TRUNC);
	int err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, word, strlen(word)) != (ssize_t)strlen(word))
		err = errno ? errno : EIO;
	close(fd);
	return err;
}

static int contains(const char *path, const char *word)
{
	const size_t len = strlen(word);
	const char *s;

	for (s = text(path); *s; s++)
		if (!strncmp(s, word, len))
			return 1;
	return 0;
}

static long lines(const char *path)
{
	static char buf[4096];
	const int fd = open(path, O_RDONLY);
	long count = 0;
	ssize_t n, i;

	while (fd >= 0 && (n = read(fd, buf, sizeof(buf))) > 0)
		for (i = 0; i < n; i++)
			count += buf[i] == '\n';
	close(fd);
	return count;
}

/* Pairs of tasks that wake each other for ever. */
static void start_load(int pairs)
{
	while (pairs--) {
		int there[2], back[2];
		char c = 0;

		if (pipe(there) || pipe(back))
			return;
		if (!fork())
			while (read(there[0], &c, 1) == 1)
				write(back[1], &c, 1);
		if (!fork())
			while (write(there[1], &c, 1) == 1)
				read(back[0], &c, 1);
	}
}

static int switch_tracers(int rounds)
{
	int bad = 0;

	while (rounds--) {
		bad |= put(T "current_tracer", "function");
		bad |= lines(T "enabled_functions") < 1000;
		bad |= put(T "events/enable", "1");
		bad |= put(T "current_tracer", "nop");
		bad |= put(T "events/enable", "0");
		bad |= put(T "current_tracer", "function_graph");
		bad |= put(T "current_tracer", "nop");
		bad |= lines(T "enabled_functions") != 0;
	}
	return !bad;
}

static int torture(void)
{
	char path[256], version[64];
	char *end;
	int fd, err;

	strlcpy(version, text("/proc/sys/kernel/osrelease"), sizeof(version));
	end = strchr(version, '\n');
	if (end)
		*end = '\0';
	strlcpy(path, "/lib/modules/", sizeof(path));
	strlcat(path, version, sizeof(path));
	strlcat(path, "/kernel/arch/x86/kernel/text_patch/text_patch_torture.ko", sizeof(path));
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	err = syscall(__NR_finit_module, fd, "seconds=5", 0);
	close(fd);
	return !err && !syscall(__NR_delete_module, "text_patch_torture", 0);
}

int main(void)
{
	static const char * const methods[] = { "stop_machine", "breakpoint" };
	unsigned int i;
	int fd;

	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	mount("tracefs", T, "tracefs", 0, NULL);
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	mount("out", "/out", "9p", 0, "trans=virtio,version=9p2000.L");
	fd = open("/dev/hvc0", O_RDWR);
	if (fd >= 0) {
		dup2(fd, 1);
		dup2(fd, 2);
	}

	start_load(4);
	say(put(T "text_patch_method", "nosuch") == EINVAL &&
	    contains(T "text_patch_method", "[breakpoint]"),
	    "a wrong method is EINVAL and changes nothing");
	for (i = 0; i < 2; i++) {
		printf("# %s\n", methods[i]);
		say(!put(T "text_patch_method", methods[i]) &&
		    contains(T "text_patch_method", methods[i]), "the method can be chosen");
		say(switch_tracers(5), "tracers and events are switched under load");
		say(torture(), "every call of the torture module does one of two things");
	}
	printf("%s", text("/sys/kernel/debug/x86/text_patch_stats"));
	fflush(stdout);

	fd = open("/out/status", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd >= 0) {
		write(fd, failed ? "1\n" : "0\n", 2);
		close(fd);
	}
	syscall(__NR_sync);
	reboot(LINUX_REBOOT_CMD_POWER_OFF);
	return 0;
}
