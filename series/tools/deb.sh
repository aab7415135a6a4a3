#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Makes Debian packages of the kernel in build/tree, and of figures-here: build/deb.
# usage: deb.sh new|classic [CONFIG]
#
# CONFIG, which xz may have compressed, is a whole configuration, such as the one of the
# running kernel in /boot; default is Debian's for clouds. The kernels are called
# VERSION-ftrace-new and VERSION-ftrace-classic.
. "$(dirname "$0")/lib.sh"

tools=$top/series/tools
impl=${1-}
case $impl in
new)	extra= ;;
classic) extra=$top/series/config/ftrace-classic.config ;;
*)	die "usage: deb.sh new|classic [CONFIG]" ;;
esac
src=${2-}
[ -n "$src" ] || { "$tools/source.sh" config && find_config; } || exit 1
[ -f "$src" ] || die "no configuration at $src"

name=deb-$impl
mkdir -p "$build/$name" "$build/deb"
xzcat -f "$src" >"$build/$name/base.config" || exit 1
{
	cat "$top/series/config/deb.config" && echo "CONFIG_LOCALVERSION=\"-ftrace-$impl\""
} >"$build/$name/deb.config"

# What the kernel's own target makes lies beside the folder of the objects.
export DEB_BUILD_PROFILES=pkg.linux-upstream.nokerneldbg KDEB_CHANGELOG_DIST=unstable
rm -f "$build"/linux-upstream_* "$build"/linux-*.deb
TARGETS=bindeb-pkg "$tools/kernel.sh" -b "$build/$name/base.config" "$name" "$build/tree" \
	"$build/$name/deb.config" $extra || exit 1
rm -f "$build/deb"/linux-*"-ftrace-$impl"_*.deb
mv "$build"/linux-image-*.deb "$build"/linux-headers-*.deb "$build/deb/" || exit 1
# Of all that a package of the kernel's headers for programs replaces, nothing has changed.
rm -f "$build"/linux-upstream_* "$build"/linux-libc-dev_*.deb

package_figures()
{
	root=$build/deb/root version=$(cd "$build/$name" && cat include/config/kernel.release)
	rm -rf "$root" "$build/deb"/ftrace-figures_*.deb && mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/lib/ftrace-figures" &&
	"$top/tools/testing/ftrace/figures-here" --build "$root/usr/lib/ftrace-figures" &&
	cp "$top/tools/testing/ftrace/figures-here" "$root/usr/lib/ftrace-figures/" &&
	ln -s ../lib/ftrace-figures/figures-here "$root/usr/bin/ftrace-figures" || return 1
	cat >"$root/DEBIAN/control" <<-END
		Package: ftrace-figures
		Version: ${version%%-*}
		Architecture: $(dpkg --print-architecture)
		Maintainer: $(sed -n '/^DYNAMIC FUNCTION TRACING/,/^$/s/^M:[[:space:]]*//p' "$build/tree/MAINTAINERS")
		Depends: python3
		Description: measure what tracing costs on this machine
	END
	dpkg-deb --root-owner-group -b "$root" "$build/deb" && rm -rf "$root"
}
step "packaging figures-here" "$log/deb-figures.log" package_figures || exit 1
ls -l "$build/deb"
