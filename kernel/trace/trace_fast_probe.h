/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of probes on the fast path. To be included after trace_probe_tmpl.h.
 */
#ifndef _TRACE_FAST_PROBE_H
#define _TRACE_FAST_PROBE_H

#include "trace_fast.h"

#define TRACE_FAST_PROBE_ARGS	64	/* bytes */

/*
 * Get the file of @tp's event if it has no arguments, is enabled in exactly one trace
 * array, without triggers there, and not by perf. So the caller need not call
 * trace_trigger_soft_disabled(), which runs triggers that need no data. Return: False
 * otherwise.
 */
static nokprobe_inline bool trace_fast_only_file(struct trace_probe *tp,
						 struct trace_event_file **file)
{
	const struct list_head *files = &tp->event->files;
	const struct list_head *first = READ_ONCE(files->next);

	if (!IS_ENABLED(CONFIG_RING_BUFFER_FAST_PATH) || tp->size ||
	    trace_probe_load_flag(tp) != TP_FLAG_TRACE)
		return false;
	if (unlikely(first == files || READ_ONCE(first->next) != files))
		return false;
	*file = list_entry(first, struct event_file_link, list)->file;
	return likely(!((*file)->flags & EVENT_FILE_FL_TRIGGER_MODE));
}

/* Record that the function at @ip was entered. Return: False if nothing was done. */
static nokprobe_inline bool trace_fast_probe_entry(struct trace_probe *tp, unsigned long ip)
{
	struct trace_event_file *file;

	return likely(trace_fast_only_file(tp, &file)) &&
	       likely(trace_fast_event_words(file, 1, ip, 0));
}

/* Record that it has returned to @ret_ip. Return: False if nothing was done. */
static nokprobe_inline bool trace_fast_probe_return(struct trace_probe *tp, unsigned long ip,
						    unsigned long ret_ip)
{
	struct trace_event_file *file;

	return likely(trace_fast_only_file(tp, &file)) &&
	       likely(trace_fast_event_words(file, 2, ip, ret_ip));
}

/*
 * Record an event of @tp: @nr words @head, and the arguments of @rec. They are fetched
 * before the event is reserved, as that may run code of others. So they have to be short,
 * and none of varying length, for which @dsize would be set. Return: False if nothing was
 * done.
 */
static nokprobe_inline bool trace_fast_probe(struct trace_event_file *file,
					     struct trace_probe *tp, const unsigned long *head,
					     const unsigned int nr, void *rec, void *edata,
					     int dsize)
{
	struct {
		struct trace_entry	ent;
		unsigned long		words[2 + TRACE_FAST_PROBE_ARGS / sizeof(long)];
	} data __uninitialized;
	const unsigned int size = sizeof(data.ent) + nr * sizeof(*head);
	unsigned int i;

	if (!IS_ENABLED(CONFIG_RING_BUFFER_FAST_PATH) ||
	    unlikely(file->flags & TRACE_FAST_NOT_EVENT) ||
	    unlikely(dsize || tp->size > TRACE_FAST_PROBE_ARGS || tp->size % sizeof(u32)))
		return false;

	for (i = 0; i < nr; i++)
		data.words[i] = head[i];
	/* An argument that cannot be fetched stays 0. */
	for (i = 0; i < DIV_ROUND_UP(tp->size, sizeof(*head)); i++)
		data.words[nr + i] = 0;
	store_trace_args(&data.words[nr], tp, rec, edata, size, 0);
	return trace_fast_event(file, &data, size + tp->size);
}

#endif
