#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Sees to it that the kernel source of series/base is on this machine, or Debian's
# configuration of it. Status 1: it cannot be had, for the reasons that were printed.
# usage: source.sh [config]
#
# Where it is not here yet, the package is installed if the machine's apt knows
# it.  Else it is fetched into build/source: from the suites of series/base, on
# the mirror that the machine's apt has (or DEBIAN_MIRROR=URL), then from the
# dated archive DEBIAN_ARCHIVE=URL.  This needs no root: lists and configuration
# of that apt lie in build/apt, and the machine's are only read.
# A URL may have options before it, as in sources.list: "[OPTION=VALUE] URL".
. "$(dirname "$0")/lib.sh"

kind=${1:-source}
version=$(of_base version)
case $kind in
source)	find=find_source package=$(of_base package) what="Linux $version" instead="LINUX_SRC=DIR|TARBALL names another source" ;;
config)	find=find_config package=$(of_base config) what=$package instead="CONFIG=FILE names another configuration" ;;
*)	die "usage: source.sh [config]" ;;
esac
one_at_a_time source
$find && exit 0
file=${src#"$build/source/"}

apt=$build/apt
to=$log/source.log
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
why=

refuse()
{
	why="$why  $*
"
	return 1
}

give_up()
{
	say "$what cannot be had here (log: ${to#"$top"/}):"
	printf '%s' "$why"
	echo "  $instead"
	exit 1
}

# The machine's proxies are taken over; its hooks, pins and sources are not.
configure_apt()
{
	rm -rf "$apt" && mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" &&
	: >"$apt/status" && apt-config dump | grep '^Acquire::' >"$apt/apt.conf" || return 1
	cat >>"$apt/apt.conf" <<-EOF
		Acquire::AllowInsecureRepositories "false";
		Acquire::Languages "none";
		Acquire::Retries "1";
		APT::Sandbox::User "";
		APT::Update::Error-Mode "any";
		Dir::Etc::main "/dev/null";
		Dir::Etc::parts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::Etc::sourcelist "$apt/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::State "$apt";
		Dir::State::status "$apt/status";
		Dir::Cache "$apt/cache";
	EOF
}

# Of the sites in the machine's sources, the one that has Debian's releases.
mirror_of_the_machine()
{
	release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --no-release-info --format '$(SITE) $(RELEASE) $(COMPONENT)' |
	awk -v release="$release" '
		$3 == "main" && ($2 == release || $2 ~ /^(stable|testing|unstable|sid)$/) {
			print $1
			exit
		}'
}

# look SITE SUITE: its version of the package, in $found.
look()
{
	case $1 in
	"["*)	echo "deb $1 $2 main" ;;
	*)	echo "deb [signed-by=$keyring] $1 $2 main" ;;
	esac >"$apt/sources.list"
	echo "== $(cat "$apt/sources.list")" >>"$to"
	if ! APT_CONFIG=$apt/apt.conf apt-get update >"$apt/said" 2>&1; then
		cat "$apt/said" >>"$to"
		refuse "$2: $(grep -m 1 '^[EW]: ' "$apt/said")"
		return
	fi
	found=$(APT_CONFIG=$apt/apt.conf apt-cache madison "$package" | awk 'NR == 1 { print $3 }')
	case $found in
	"$version".*|"$version"-*) ;;
	"")	refuse "$2: has no $package" ;;
	*)	refuse "$2: has $package $found, which is no Linux $version.y" ;;
	esac
}

download()
(
	rm -rf "$apt/deb" && mkdir "$apt/deb" && cd "$apt/deb" &&
	APT_CONFIG=$apt/apt.conf apt-get download "$package=$found"
)

# check_sum SUITE [known]: the package that was downloaded, which has to be a known one.
check_sum()
{
	deb=$(cd "$apt/deb" && echo *.deb)
	right=$(awk -v deb="$deb" '$1 == "sha256" && $3 == deb { print $2 }' "$top/series/base")
	is=$(sha256sum <"$apt/deb/$deb" | cut -d' ' -f1)
	[ -n "$right" ] || [ $# = 1 ] || {
		refuse "$1: series/base has no sha256 of $deb"
		return
	}
	[ "${right:-$is}" = "$is" ] ||
		refuse "$1: $deb has sha256 $is, series/base says $right"
}

unpack()
{
	dpkg-deb -x "$apt/deb/$deb" "$apt/deb" && mkdir -p "$(dirname "$build/source/$file")" &&
	mv "$apt/deb/usr/src/$file" "$build/source/$file"
}

# get SITE SUITE [known]: ends here where this is the one.
get()
{
	site=$1
	shift
	look "$site" "$1" || return
	step "fetching $package $found from $1" "$log/fetch.log" download || {
		refuse "$1: $package $found cannot be downloaded (log: ${log#"$top"/}/fetch.log)"
		return
	}
	check_sum "$@" || return
	step "unpacking $deb" "$log/fetch.log" unpack || {
		refuse "$1: $deb has no usr/src/$file"
		return
	}
	exit 0
}

if apt-cache show "$package" >"$to" 2>&1; then
	"$(dirname "$0")/deps.sh" "$kind" 9>&- && $find && exit 0
	refuse "the machine's apt knows $package and does not install it"
fi

export LC_ALL=C
trap 'rm -rf "$apt"' EXIT
configure_apt 2>>"$to" || {
	refuse "this is no Debian system"
	give_up
}

mirror=${DEBIAN_MIRROR:-$(mirror_of_the_machine)}
if [ -n "$mirror" ]; then
	for suite in $(of_base suite); do
		get "$mirror" "$suite"
	done
else
	refuse "the machine's apt has no mirror of Debian, and DEBIAN_MIRROR=URL is not set"
fi

of_base snapshot >"$apt/snapshot"
while read -r date suite; do
	if [ -n "${DEBIAN_ARCHIVE-}" ]; then
		# A Release file of that day is out of date, and is meant to be.
		echo 'Acquire::Check-Valid-Until "false";' >>"$apt/apt.conf"
		get "$DEBIAN_ARCHIVE/$date" "$suite" known
	else
		refuse "$suite of $date: DEBIAN_ARCHIVE=URL, a dated archive, is not set"
	fi
done <"$apt/snapshot"
give_up
