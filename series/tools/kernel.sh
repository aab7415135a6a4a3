#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Builds a kernel out of tree.
# usage: kernel.sh [-n | -b BASE] NAME TREE [CONFIG...]
#
# The result lies in build/NAME: bzImage (with ARCH=arm64, Image), vmlinux, System.map,
# .config, modules/lib/modules/VERSION and modules.cpio.  The configuration is the CONFIG
# files and the kernel's own default for the rest, with -n nothing besides, with -b what the
# whole configuration BASE has; what the CONFIG files ask for and do not get is an error.
# Where nothing has changed since, nothing is done.
# With TARGETS set, only these objects and directories are compiled. With LLVM set,
# clang and its tools do it: that is the end of their names, such as -19. With ARCH
# set, the compiler is CROSS_COMPILE's.
. "$(dirname "$0")/lib.sh"

rest=olddefconfig base=/dev/null
case ${1-} in
-n)	rest=allnoconfig; shift ;;
-b)	base=$2; shift 2 ;;
esac
[ $# -ge 2 ] || die "usage: kernel.sh [-n | -b BASE] NAME TREE [CONFIG...]"
name=$1 tree=$2 out=$build/$1
shift 2
mkdir -p "$out"
one_at_a_time "kernel-$name"

cc=${CROSS_COMPILE-}gcc hostcc=gcc
if command -v ccache >/dev/null; then
	# Paths are folded, but for those that the compiler is told to take out.
	export CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1
	export CCACHE_SLOPPINESS=time_macros,include_file_mtime,include_file_ctime
	# What is new is not preprocessed first, only to be looked up once more.
	export CCACHE_DEPEND=1
	cc="ccache $cc" hostcc="ccache $hostcc"
fi
image=arch/x86/boot/bzImage
[ "${ARCH-}" != arm64 ] || image=arch/arm64/boot/Image
[ -z "${LLVM-}" ] || cc="${cc%gcc}clang$LLVM" hostcc="${hostcc%gcc}clang$LLVM"
export KBUILD_BUILD_TIMESTAMP='1970-01-01' KBUILD_BUILD_USER=ftrace KBUILD_BUILD_HOST=ftrace

hugepages=$build/hugepages.so
[ "$hugepages" -nt "$(dirname "$0")/hugepages.c" ] || {
	gcc -O2 -shared -fPIC -o "$hugepages.$$" "$(dirname "$0")/hugepages.c" &&
	mv "$hugepages.$$" "$hugepages"
} || exit 1

# What objtool warns of is an error, whatever is configured.
kbuild()
{
	LD_PRELOAD=$hugepages make -C "$tree" O="$out" -j"$jobs" ${LLVM:+LLVM="$LLVM"} CC="$cc" HOSTCC="$hostcc" \
		CONFIG_OBJTOOL_WERROR=y "$@"
}

configure()
{
	cat "$@" >"$out/wanted.config" && cat "$base" "$out/wanted.config" >"$out/.config" || return 1
	kbuild KCONFIG_ALLCONFIG="$out/wanted.config" "$rest" || return 1
	# A later line overrules an earlier one, as in Kconfig.
	awk -F= '
		FNR == NR { if (/^CONFIG_/) want[$1] = $0; next }
		/^CONFIG_/ { have[$1] = $0 }
		END {
			for (s in want) {
				if (want[s] ~ /=(n|"")$/ && !(s in have) || have[s] == want[s])
					continue
				print "Error: the kernel does not take " want[s]
				bad = 1
			}
			exit bad
		}' "$out/wanted.config" "$out/.config"
}

install_products()
{
	kbuild INSTALL_MOD_PATH="$out/modules" INSTALL_MOD_STRIP=1 modules_install &&
	cp "$out/$image" "$out/${image##*/}" || return 1
	# The machine lays this archive over the guest's root file system.  It
	# must not name lib itself, which is a link there.
	cd "$out/modules" && archive lib/modules >"$out/modules.cpio"
}

count_objects()
{
	grep -cE '^  (AS|CC|LDS|HOSTCC)  ' "$log/kernel-$name.log" 2>/dev/null
}

# A first build says of how many: as many as the last one had, here or, by
# the list, where the list was written.
progress()
{
	printf '%s: %s' "$name" "$(count_objects)"
	[ -z "$all" ] || printf ' of about %s' "$all"
	printf ' objects built'
}
all=
[ -f "$out/vmlinux" ] || all=$(cat "$build/$name.objects" 2>/dev/null ||
	sed -n "s/^$name //p" "$top/series/config/objects")

# Configured again when what is asked for, the compiler or a Kconfig file of the series has
# changed.
config_key()
{
	# shellcheck disable=SC2086 # ccache and the compiler
	$cc --version 2>/dev/null | head -n 1
	cat "$base" "$@"
	cd "$tree" && "$top/series/tools/tree.py" list | grep Kconfig | xargs -r cat 2>/dev/null
}

key=$(config_key "$@" | sha256sum)
# All that the products depend on: nothing to do where they are made of it.
made_of="$key $(cat "$build/base.key" "$tree.key" 2>/dev/null | sha256sum)"
if [ "$(cat "$out/made-of" 2>/dev/null)" = "$made_of" ] &&
   [ -f "$out/${image##*/}" ] && [ -f "$out/modules.cpio" ]; then
	say "$name is up to date (build/$name)"
	exit 0
fi
rm -f "$out/made-of"

if [ "$(cat "$out/config.key" 2>/dev/null)" != "$key" ]; then
	step "configuring $name" "$log/config-$name.log" configure "$@" || exit 1
	printf '%s\n' "$key" >"$out/config.key"
fi
if [ -n "${TARGETS-}" ]; then
	# shellcheck disable=SC2086
	step "compiling a part of $name" "$log/kernel-$name.log" kbuild $TARGETS
	exit
fi
step "building $name" "$log/kernel-$name.log" kbuild "${image##*/}" modules || exit 1
[ -z "$all" ] || count_objects >"$build/$name.objects"
step "installing modules of $name" "$log/modules-$name.log" install_products || exit 1
printf '%s\n' "$made_of" >"$out/made-of"
