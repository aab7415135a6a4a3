#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Checks the series out as it was on an earlier base, in build/frozen-BASE.
# The one argument is that base, a version with a line in series/base.
. "$(dirname "$0")/lib.sh"

base=${1:?which base?}
where=$build/frozen-$base
commit=$(of_base frozen | sed -n "s/^$base //p")

[ -n "$commit" ] || die "series/base has no base $base: BASE is one of $(of_base version)" \
	"$(of_base frozen | cut -d' ' -f1 | paste -sd' ')"
git -C "$top" cat-file -e "$commit^{commit}" ||
	die "this clone has no commit $commit, the series on $base: git fetch --unshallow"

check_out()
{
	if [ -e "$where/.git" ]; then
		git -C "$where" checkout --detach "$commit"
	else
		# By force: "make clean" may have removed one that git still lists.
		git -C "$top" worktree add --force --detach "$where" "$commit"
	fi
}

wanted=$(git -C "$top" rev-parse "$commit")
if [ ! -e "$where/.git" ] || [ "$(git -C "$where" rev-parse HEAD)" != "$wanted" ]; then
	step "checking the series on $base out of the history" "$log/frozen.log" check_out
fi
