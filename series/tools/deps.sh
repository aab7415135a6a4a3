#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Installs the Debian packages that a job needs and that are not there yet.
# usage: deps.sh run|run-arm64|check|test|test-kvm|test-long|figures|figures-arm64|deb|fresh|source|config
#
# As root or by sudo; where neither can be had it prints the one apt-get line
# that somebody else may run, and stops with status 1.
. "$(dirname "$0")/lib.sh"

build_pkgs="bc binutils bison bzip2 ca-certificates cpio flex gcc kmod
	libc6-dev libelf-dev libssl-dev make perl python3 rsync xz-utils
	zstd git file gawk diffutils findutils"
guest_pkgs="qemu-system-x86 busybox-static bash coreutils dash trace-cmd
	linux-perf rt-tests iproute2 iputils-ping util-linux procps
	grep sed mount hostname"
test_pkgs="b4 bpftrace clang sparse dwarves libbpf-dev libtraceevent-dev pkgconf patch pyflakes3
	python3-pytest python3-pytest-xdist qemu-system-arm qemu-user-static gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf gcc-riscv64-linux-gnu
	gcc-s390x-linux-gnu gcc-powerpc64le-linux-gnu gcc-sparc64-linux-gnu
	libc6-dev-arm64-cross libc6-dev-i386 python3-sphinx python3-yaml"
# Not in every Debian release: what is tested with them is skipped by name.
optional_pkgs="gcc-mips-linux-gnu gcc-mips64el-linux-gnuabi64 gcc-powerpc-linux-gnu
	gcc-powerpc64-linux-gnu gcc-sh4-linux-gnu libclang-rt-14-dev libclang-rt-19-dev
	lib32gcc-12-dev lib32gcc-14-dev"
long_pkgs="clang-19 lld-19 llvm-19 openssl e2fsprogs libbpf-tools rtla stress-ng uftrace"
arm64_pkgs="gcc-aarch64-linux-gnu qemu-system-arm"
figures_pkgs="ccache gnuplot-nox dwarves libbpf-dev pkgconf"
deb_pkgs="dpkg-dev debhelper libdw-dev dwarves libbpf-dev pkgconf"
fresh_pkgs="mmdebstrap util-linux git"

optional=
case ${1-run} in
run)	want="$build_pkgs $guest_pkgs" ;;
run-arm64) want="$build_pkgs $arm64_pkgs" ;;
check | test | test-kvm) want="$build_pkgs $guest_pkgs $test_pkgs $figures_pkgs" optional=$optional_pkgs ;;
test-long) want="$build_pkgs $guest_pkgs $test_pkgs $figures_pkgs $deb_pkgs $fresh_pkgs $long_pkgs" optional=$optional_pkgs ;;
figures) want="$build_pkgs $guest_pkgs $figures_pkgs libdevel-nytprof-perl" ;;
figures-arm64) want="$build_pkgs $arm64_pkgs $figures_pkgs libc6-dev-arm64-cross" ;;
deb)	want="$build_pkgs $deb_pkgs" ;;
fresh)	want=$fresh_pkgs ;;
# Optional: what cannot be installed is fetched by source.sh.
source)	want= optional=$(of_base package) ;;
config)	want= optional=$(of_base config) ;;
*)	die "$(sed -n 's/^# usage/usage/p' "$0")" ;;
esac

command -v dpkg-query >/dev/null ||
	die "this is no Debian system: please provide the tools of: $(echo $want)"

# Says which of some packages are to be installed.
missing_of()
{
	for p; do
		dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null | grep -qx installed || printf ' %s' "$p"
	done
}

# Says which of some packages this release has.
known_of()
{
	for p; do
		! apt-cache show "$p" >/dev/null 2>&1 || printf ' %s' "$p"
	done
}

missing=$(missing_of $want)
extra=$(missing_of $optional)

# What is optional and in no list of the release is not looked for each time.
if [ -z "$missing" ] && ls /var/lib/apt/lists/*Packages* >/dev/null 2>&1; then
	extra=$(known_of $extra)
fi
[ -n "$missing$extra" ] || exit 0

if [ "$(id -u)" = 0 ]; then
	as_root=
elif sudo -n true 2>/dev/null; then
	as_root=sudo
else
	[ -n "$missing" ] || exit 0
	printf 'Some packages are missing, and this is neither root nor sudo. Please run:\n'
	printf '  apt-get install --no-install-recommends%s\n' "$missing"
	exit 1
fi

apt()
{
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 "$@"
}

step "updating the package lists" "$log/deps.log" apt update || exit 1

# Optional packages that this release does not have are dropped here, by name.
for p in $missing; do
	[ "$(known_of "$p")" ] || die "this Debian release has no package $p"
done
install=$missing$(known_of $extra)
[ -n "$install" ] || exit 0
step "installing:$install" "$log/deps.log" \
	apt install -y --no-install-recommends $install
