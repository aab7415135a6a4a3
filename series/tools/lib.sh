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

# step TITLE LOGFILE COMMAND...: run COMMAND with its output in LOGFILE.
step()
{
	title=$1 to=$2
	shift 2
	say "$title (log: ${to#"$top"/})"
	"$@" >"$to" 2>&1 </dev/null && return 0
	status=$?
	say "FAILED with status $status: $title"
	grep -nE '(^|[^_[:alnum:]])([Ee]rror|ERROR|FAILED|undefined reference|No such file|not found|\*\*\*)' \
		"$to" | tail -n 15 >&2
	printf '%s\n' '--- last lines:' >&2
	tail -n 5 "$to" >&2
	return "$status"
}
