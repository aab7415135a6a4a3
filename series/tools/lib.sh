# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# What every tool here shares: where things lie, how progress and failure look.
# One line a step with the time since the command began; a step that fails
# names its log and shows the lines that matter, never the whole log.

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
log=$build/log
jobs=${JOBS:-$(nproc)}
mkdir -p "$log"

: "${STEP_START:=$(date +%s)}"
export STEP_START

say()
{
	printf '[%4ds] %s\n' $(($(date +%s) - STEP_START)) "$*"
}

die()
{
	printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2
	exit 1
}

# one_at_a_time NAME: until this script ends, another that says so waits. Who comes second
# finds what the first has made.
one_at_a_time()
{
	exec 9>"$build/$1.lock"
	flock -n 9 || { say "waiting for another command's $1" && flock 9; }
}

# of_base KEY: what series/base says of it, a line each.
of_base()
{
	sed -n "s/^$1[[:space:]][[:space:]]*//p" "$top/series/base"
}

# Where a file of a Debian package lies, in $src: the package's, else the one that
# source.sh has fetched.
find_packaged()
{
	for src in "${USR_SRC:-/usr/src}" "$build/source"; do
		src=$src/$1
		[ ! -e "$src" ] || return 0
	done
	return 1
}

# The base's source: what the caller named, or the Debian package's.
find_source()
{
	src=${LINUX_SRC-}
	[ -n "$src" ] || find_packaged "$(of_base package).tar.xz"
}

# Debian's configuration of the kernel for clouds.
find_config()
{
	find_packaged "$(of_base config)/config.amd64_none_cloud-amd64.xz"
}

# What a guest has of ours: its init and its jobs, and selftests in the places that they
# have in the kernel's tree, with what these say KTAP by.
selftests=tools/testing/selftests
guest_files()
{
	echo "$build/base/$selftests/kselftest/ktap_helpers.sh"
	find "$top/series/guest" "$top/$selftests"/text_* "$top/$selftests/tracepoint" \
		"$top/$selftests"/ftrace/*.sh "$top/$selftests"/ftrace/*.c -type f
}

# Into the root that is here.
add_guest_files()
{
	cp -r "$top/series/guest/." . && chmod 755 init && rm -f ./*.c || return 1
	for script in $(guest_files | grep "/$selftests/.*\.sh\$"); do
		folder=selftests/$(basename "$(dirname "$script")")
		mkdir -p "$folder" && cp "$script" "$folder" || return 1
	done
}

# As the kernel unpacks it, what lies below some folders, whoever owns it.
archive()
{
	find "$@" -print0 | sort -z | cpio --null -o -H newc -R 0:0 --quiet
}

pack_root()
{
	rm -rf "$root" "$root.key" && mkdir -p "$root/usr" && cd "$root" || return 1
	for folder in bin sbin lib lib64; do
		mkdir "usr/$folder" && ln -s "usr/$folder" "$folder" || return 1
	done
	populate && archive . >"$root.cpio.new" && mv "$root.cpio.new" "$root.cpio" && ls -l "$root.cpio"
}

# make_root_fs TITLE: $root.cpio, of what populate() puts into $root, where it is. Nothing is
# done where the scripts and inputs() are as they were.
make_root_fs()
{
	key=$({ cat "$0" "$top/series/tools/lib.sh"; inputs; } | sha256sum)
	[ -f "$root.cpio" ] && [ "$(cat "$root.key" 2>/dev/null)" = "$key" ] && return
	step "$1" "$log/${root##*/}.log" pack_root && printf '%s\n' "$key" >"$root.key"
}

# How far the step is that runs now; a tool that knows has its own.
progress()
{
	echo "still at it"
}

# What takes long says how far it is: on a terminal in one line that changes, else
# once a minute. Ctrl-C does not get here: it ends when the script has.
show_progress()
{
	exec 9>&-	# not its lock
	ticks=0
	while sleep 1 && kill -0 $$ 2>/dev/null; do
		ticks=$((ticks + 1))
		if [ -t 1 ]; then
			printf '\r\033[K[%4ds] %s' $(($(date +%s) - STEP_START)) "$(progress)"
		elif [ $((ticks % 60)) = 0 ]; then
			say "$(progress)"
		fi
	done
}

# step TITLE LOGFILE COMMAND...: run COMMAND with its output in LOGFILE.
step()
{
	title=$1 to=$2
	shift 2
	say "$title (log: ${to#"$top"/})"
	[ -n "${NO_PROGRESS-}" ] || show_progress & watcher=$!
	"$@" >"$to" 2>&1 </dev/null
	status=$?
	kill "$watcher" 2>/dev/null
	wait "$watcher" 2>/dev/null
	[ -n "${NO_PROGRESS-}" ] || [ ! -t 1 ] || printf '\r\033[K'
	[ "$status" != 0 ] || return 0
	say "FAILED with status $status: $title"
	grep -nE '(^|[^_[:alnum:]])([Ee]rror|ERROR|FAILED|undefined reference|No such file|not found|\*\*\*)' \
		"$to" | tail -n 15 >&2
	printf '%s\n' '--- last lines:' >&2
	tail -n 5 "$to" >&2
	return "$status"
}
