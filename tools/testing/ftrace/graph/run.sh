#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The graph tracer's shadow stack in user space, under the address and
# undefined behaviour sanitisers. And because tests that cannot fail show
# nothing, the same with faults put in: each must be caught.
#
#	QUICK	leave these out

here=$(cd "$(dirname "$0")" && pwd)
rooms=$here/../../../../kernel/trace/ftrace
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
failed=0
. "$here/../results.sh"

# build DIR: with the graph/stack.h in there
build()
{
	${CC:-gcc} -O1 -g -Wall -Wextra -Wno-sign-compare -Wno-unused-parameter \
		-fsanitize=address,undefined -fno-sanitize-recover=undefined \
		-I"$here/shim" -I"$1" -I"$rooms/tests" "$here/graph.c" -o "$1/graph"
}

mkdir "$out/good"
cp "$rooms/graph/stack.h" "$out/good"
if build "$out/good"; then
	results 16 "$out/good/graph"
else
	echo "not ok - builds"
	failed=1
fi

# fault NAME SED: what sed does to it must make a case fail
fault()
{
	[ -z "${QUICK:-}" ] || return
	mkdir "$out/$1"
	sed "$2" "$rooms/graph/stack.h" >"$out/$1/stack.h"
	if cmp -s "$rooms/graph/stack.h" "$out/$1/stack.h"; then
		echo "not ok - fault $1 changes nothing"
		failed=1
	elif ! build "$out/$1" 2>"$out/log"; then
		sed 's/^/# /' "$out/log" | head -n 5
		echo "not ok - fault $1 does not compile"
		failed=1
	elif timeout 60 "$out/$1/graph" >/dev/null 2>&1; then
		echo "not ok - fault $1 is not caught"
		failed=1
	else
		echo "ok - fault $1 is caught"
	fi
}

fault seen_too_early	's/^	barrier();	\/\* filled in before.*/	WRITE_ONCE(f->retp, retp); barrier();/'
fault not_counted	'/WRITE_ONCE(s->top, s->top + 1);/d'
fault seen_when_gone	'/WRITE_ONCE(f->retp, NULL);/d'
fault uncounted_early	's/^	WRITE_ONCE(f->retp, NULL);/	WRITE_ONCE(s->top, s->top - 1); barrier(); WRITE_ONCE(f->retp, NULL); s->top++;/'
fault data_left_behind	's/^	if (unlikely(s->data != f->data))/	s->data = f->data; if (0)/'
fault data_forgotten	'/^	s->data = f->data;/d'
fault data_cleared_late	's/^	for (nr = s->data; nr < f->data; nr++)/	nr = s->data; s->data = f->data; barrier(); for (; nr < f->data; nr++)/'
fault data_taken_late	's/^	WRITE_ONCE(s->data, s->data - (1 + words));/	*head = FGRAPH_CHUNK(slot, words); barrier(); &/
			 s/^	\*head = FGRAPH_CHUNK(slot, words);//'
fault one_frame_more	's/(void \*)(f + 1) > /(void *)f > /'
fault data_into_frames	's/(void \*)head < (void \*)(f + 1)/0/'
fault jumps_not_seen	's/if (\*ret != handler)/if (1)/'

exit $failed
