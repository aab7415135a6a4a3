#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The mails that make patches writes give, by git am on the base, the same
# tree as build/tree, and checkpatch.pl --strict accepts them.
top=$(cd "$(dirname "$0")/../../.." && pwd)
build=${BUILD:-$top/build}
work=$(mktemp -d "$build/patches-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 nr=0
echo "KTAP version 1"

result()
{
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		sed 's/^/# /' "$work/said" | tail -n 15
		failed=1
	fi
}

"$top/series/tools/patches.py" >"$work/said" 2>&1
result $? "make patches writes the series"

if [ -z "${QUICK-}" ]; then
	"$top/series/tools/checkmails.py" >"$work/said" 2>&1
	result $? "checkpatch --strict has nothing to say of any mail"
fi

# Into $work/list, the files of the series; not none.
list()
{
	"$top/series/tools/tree.py" list >"$work/list" && grep -q . "$work/list"
}

# git need not see the whole base: files that the series does not touch are
# the base's own, by hard link, which is checked for each of them below.
apply()
(
	mkdir "$work/am" && cd "$work/am" && git init -q . || exit 1
	list || exit 1
	while read -r path; do
		[ -e "$build/base/$path" ] || continue
		mkdir -p "$(dirname "$path")" && cp "$build/base/$path" "$path" || exit 1
	done <"$work/list" || exit 1
	git add -Af . &&
	git -c user.name=test -c user.email=test@localhost commit -q -m base &&
	git -c user.name=test -c user.email=test@localhost am -q "$build"/patches/0*.patch
)
mv "$build/patches/0000-cover-letter.patch" "$work/cover" 2>/dev/null
apply >"$work/said" 2>&1
result $? "git am applies the series to the base"
mv "$work/cover" "$build/patches/0000-cover-letter.patch" 2>/dev/null

same_tree()
(
	cd "$build/tree" || exit 1
	# Own files of the tree: in the series or strangers.
	find . -type f -links 1 -printf '%P\n' | sort >"$work/own"
	cd "$work/am" && git ls-files | sort >"$work/mailed" && cd "$build/tree" || exit 1
	[ -s "$work/own" ] && [ -s "$work/mailed" ] && list || exit 1
	while read -r path; do
		cmp "$path" "$work/am/$path" || exit 1
	done <"$work/mailed"
	comm -23 "$work/own" "$work/mailed" >"$work/others" || exit 1
	# All of them, if the base was unpacked again.
	(cd "$build/base" && xargs -rd '\n' sha256sum <"$work/others") >"$work/sums" || exit 1
	[ ! -s "$work/sums" ] || sha256sum --check --quiet "$work/sums" || exit 1
	# And nothing that the mails take away is left.
	while read -r path; do
		[ -e "$path" ] && [ ! -e "$work/am/$path" ] && echo "$path is left" && exit 1
	done <"$work/list"
	exit 0
)
same_tree >"$work/said" 2>&1
result $? "the tree after git am is build/tree, file by file"
grep -q 'HERE \*\*\*' "$build/patches/0000-cover-letter.patch" 2>"$work/said"
result $((! $?)) "the cover letter is written"
echo "1..$nr"
exit "$failed"
