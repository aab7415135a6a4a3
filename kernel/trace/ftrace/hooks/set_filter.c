// SPDX-License-Identifier: GPL-2.0
/*
 * The API that sets an ops's filter, by name or by address.
 */
#include <linux/export.h>
#include <linux/ftrace/text.h>

#include "../sites/discovered.h"
#include "../sites/edit.h"
#include "share.h"
#include "slot.h"

/* The arguments of an API call. */
struct request {
	const char		*word;		/* a pattern, or */
	const unsigned long	*ips;		/* addresses */
	unsigned int		len;
	bool			except;
	bool			remove;
	bool			reset;
};

static struct ftrace_siteset *sites_at(const struct request *req)
{
	struct ftrace_siteset_builder found = {};
	struct ftrace_site_block *b;
	unsigned int k;
	u32 i;
	int err = 0;

	for (k = 0; k < req->len && !err; k++) {
		err = ftrace_site_get(ftrace_location(req->ips[k]), &b, &i);
		if (!err)
			err = ftrace_siteset_add(&found, ftrace_site_nr(b, i));
	}
	if (!err)
		return ftrace_siteset_build(&found);
	ftrace_siteset_drop(&found);
	return ERR_PTR(err);
}

/*
 * Remove one site from the filter. Owners remove the last site just before they free the
 * ops, and rely on success: so this must not fail for lack of memory.
 */
static struct ftrace_siteset *set_without_site(struct ftrace_filter_slot *slot, unsigned long ip)
{
	struct ftrace_siteset *set;
	struct ftrace_site_block *b;
	u32 i;
	int err = ftrace_site_get(ftrace_location(ip), &b, &i);

	if (err)
		return ERR_PTR(err);
	set = ftrace_slot_filter(slot)->only;
	i = ftrace_site_nr(b, i);
	return ftrace_siteset_has(set, i) ? ftrace_siteset_without(set, i, i + 1) :
					    ERR_PTR(-ENOENT);
}

/* True if @req adds no function: only such requests are allowed after ftrace_kill(). */
static bool only_leaves(struct ftrace_ops *ops, const struct request *req)
{
	if (req->remove)
		return true;
	/* Naming no function means all: allowed only if no registered ops uses the slot. */
	return req->reset && !req->ips && !(req->word && req->len) &&
	       hlist_empty(&ftrace_ops_slot(ops)->users);
}

/* A site that is made found here may change the filter, see waiting.c: read it afterwards. */
static struct ftrace_filter *edit_by_ips(struct ftrace_filter_slot *slot,
					 const struct request *req, bool none)
{
	const struct ftrace_edit conds = { .reset = req->reset };
	struct ftrace_siteset *base, *given, *set;

	if (req->remove && req->len == 1) {
		set = set_without_site(slot, req->ips[0]);
		goto out;
	}

	given = sites_at(req);
	if (IS_ERR(given))
		return ERR_CAST(given);

	base = req->reset ? NULL : ftrace_slot_filter(slot)->only;
	set = req->remove ? ftrace_siteset_minus(base, given) : ftrace_siteset_or(base, given);
	if (req->remove && !IS_ERR(set) &&
	    ftrace_siteset_count(base) - ftrace_siteset_count(set) !=
	    ftrace_siteset_count(given)) {
		ftrace_siteset_put(set);
		set = ERR_PTR(-ENOENT);
	}
	ftrace_siteset_put(given);
out:
	return IS_ERR(set) ? ERR_CAST(set) :
	       ftrace_filter_with_set(ftrace_slot_filter(slot), set, false, none, &conds);
}

static struct ftrace_filter *edit(struct ftrace_ops *ops, const struct request *req)
{
	struct ftrace_filter_slot *slot = ftrace_ops_slot(ops);
	/*
	 * Without its last function, a registered ops has none, not all: its owner does not
	 * know of functions that were removed because their text was freed.
	 */
	bool none = ops->hook && (req->remove || ftrace_ops_exclusive(ops));

	if (req->ips)
		return edit_by_ips(slot, req, none);
	return ftrace_filter_with_word(ftrace_slot_filter(slot), req->word, req->len, req->except,
				       req->reset);
}

static int set_filter_locked(struct ftrace_ops *ops, const struct request *req)
{
	struct ftrace_filter *filter;
	int err = 0;

	if (ftrace_dead() && !only_leaves(ops, req))
		return -ENODEV;
	filter = edit(ops, req);
	if (IS_ERR(filter))
		return PTR_ERR(filter);

	/* Without its last function, the ops would have all. */
	if (ftrace_dead() && req->remove && filter->all &&
	    !hlist_empty(&ftrace_ops_slot(ops)->users))
		err = -ENODEV;
	else if (ops->hook && (ops->flags & FTRACE_OPS_FL_DIRECT))
		err = ftrace_share_self(ops, filter->only);
	if (err) {
		ftrace_filter_put(filter);
		return err;
	}
	return ftrace_slot_set_always(ftrace_ops_slot(ops), filter);
}

/*
 * For a registered IPMODIFY ops. Owners of direct calls on functions that are added
 * are asked to share before the change; owners of direct calls on functions that are
 * removed are told after it; both without ftrace_lock.
 */
static int set_filter_ipmodify(struct ftrace_ops *ops, const struct request *req)
{
	struct ftrace_filter_slot *slot = ftrace_ops_slot(ops);
	struct ftrace_filter *old, *new;
	u64 generation;
	bool same;
	int err;

	lockdep_assert_held(&direct_mutex);

	do {
		mutex_lock(&ftrace_lock);
		generation = ftrace_site_generation;
		old = ftrace_filter_get(ftrace_slot_filter(slot));
		new = ftrace_dead() && !only_leaves(ops, req) ? ERR_PTR(-ENODEV) :
		      edit(ops, req);
		mutex_unlock(&ftrace_lock);

		err = PTR_ERR_OR_ZERO(new) ?: ftrace_share_begin(old, new);
		if (err) {
			if (!IS_ERR(new))
				ftrace_filter_put(new);
			ftrace_filter_put(old);
			return err;
		}

		mutex_lock(&ftrace_lock);
		same = generation == ftrace_site_generation && old == ftrace_slot_filter(slot);
		if (same)
			err = ftrace_slot_set_always(slot, ftrace_filter_get(new));
		mutex_unlock(&ftrace_lock);

		if (same && !err)
			ftrace_share_end(old, new);
		else
			ftrace_share_end(new, old);
		ftrace_filter_put(new);
		ftrace_filter_put(old);
	} while (!same);

	return err;
}

static int set_filter(struct ftrace_ops *ops, const struct request *req)
{
	const bool exclusive = ftrace_ops_exclusive(ops);
	int err;

	if (req->except && exclusive)
		return -EINVAL;

	if (exclusive)
		mutex_lock(&direct_mutex);
	if ((ops->flags & FTRACE_OPS_FL_IPMODIFY) && ftrace_ops_registered(ops)) {
		err = set_filter_ipmodify(ops, req);
	} else {
		mutex_lock(&ftrace_lock);
		err = set_filter_locked(ops, req);
		mutex_unlock(&ftrace_lock);
	}
	if (exclusive)
		mutex_unlock(&direct_mutex);
	return err;
}

/**
 * ftrace_set_filter_ip() - add or remove a function by address
 * @ops: ops, registered or not
 * @ip: address of the function, or of the call in it
 * @remove: not 0: remove it
 * @reset: not 0: start from an empty filter
 *
 * Without its last function, an ops is for all functions, but a registered one
 * for none. Removing the last function of an ops that is not
 * registered cannot fail for lack of memory or because of ftrace_kill(); then the
 * ops can be freed.
 *
 * Context: Process context. May sleep. Takes direct_mutex for an exclusive ops,
 * and ftrace_lock.
 * Return: 0 on success; -EINVAL if there is no call site at @ip;
 * -ENOENT if it is to be removed but is not in the filter; -ENOMEM if memory is
 * short; -EBUSY if another hook excludes @ops from it, or @ops is exclusive and
 * registered and the function is off, or jumps, under a debugger's breakpoint; -ENODEV
 * after ftrace_kill() unless functions are only removed, or if @ops is exclusive and
 * registered and the function cannot be patched; or the error of a direct call's
 * owner. On error nothing changed.
 */
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset)
{
	return ftrace_set_filter_ips(ops, &ip, 1, remove, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ip);

/**
 * ftrace_set_filter_ips() - add or remove functions by address
 * @ops: ops, registered or not
 * @ips: addresses of the functions, or of the calls in them
 * @cnt: number of elements in @ips
 * @remove: not 0: remove them
 * @reset: not 0: start from an empty filter
 *
 * Changes the filter for all of these functions or for none.
 *
 * Context: Process context. May sleep. Takes direct_mutex for an exclusive ops,
 * and ftrace_lock.
 * Return: As ftrace_set_filter_ip(). On error nothing changed.
 */
int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int cnt,
			  int remove, int reset)
{
	const struct request req = { .ips = ips, .len = cnt, .remove = remove, .reset = reset };

	return set_filter(ops, &req);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ips);

/**
 * ftrace_set_filter() - add or remove functions by name
 * @ops: ops, registered or not
 * @buf: a name or a pattern, with '!' in front to remove its functions; a
 *	number is a line of available_filter_functions. NULL: none
 * @len: length of @buf in bytes
 * @reset: not 0: start from an empty filter
 *
 * Context: Process context. May sleep. Takes direct_mutex for an exclusive ops,
 * and ftrace_lock.
 * Return: 0 on success; -EINVAL if nothing matches; -ENODEV after ftrace_kill(), also
 * for '!'; else as ftrace_set_filter_ip(). An ops that is not registered and has no
 * exceptions can be reset to all functions without memory, and after ftrace_kill(). On
 * error nothing changed.
 */
int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len, int reset)
{
	const struct request req = { .word = buf, .len = len, .reset = reset };

	return set_filter(ops, &req);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter);

/**
 * ftrace_set_notrace() - add functions to a filter's exceptions, or remove them
 * @ops: ops, registered or not; not an exclusive one
 * @buf: a name or a pattern, as for ftrace_set_filter(). NULL: none
 * @len: length of @buf in bytes
 * @reset: not 0: start without exceptions
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 * Return: 0 on success; -EINVAL if nothing matches, or if @ops or a registered ops that
 * shares its filter is exclusive; -ENOMEM if memory is short; -ENODEV after
 * ftrace_kill(), except for a reset alone while no ops of the filter is registered. On
 * error nothing changed.
 */
int ftrace_set_notrace(struct ftrace_ops *ops, unsigned char *buf, int len, int reset)
{
	const struct request req = { .word = buf, .len = len, .except = true, .reset = reset };

	return set_filter(ops, &req);
}
EXPORT_SYMBOL_GPL(ftrace_set_notrace);

/**
 * ftrace_set_global_filter() - change the filter of the top trace array
 * @buf: a name or a pattern, as for ftrace_set_filter()
 * @len: length of @buf in bytes
 * @reset: not 0: start from an empty filter
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_set_global_filter(unsigned char *buf, int len, int reset)
{
	ftrace_set_filter(&global_ops, buf, len, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_global_filter);

/**
 * ftrace_set_global_notrace() - change the exceptions of the top trace array
 * @buf: a name or a pattern, as for ftrace_set_filter()
 * @len: length of @buf in bytes
 * @reset: not 0: start without exceptions
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_set_global_notrace(unsigned char *buf, int len, int reset)
{
	ftrace_set_notrace(&global_ops, buf, len, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_global_notrace);

/**
 * ftrace_ops_set_global_filter() - share the filter slot of the top trace array
 * @ops: ops that has no filter yet and is not registered
 *
 * Context: Process context.
 */
void ftrace_ops_set_global_filter(struct ftrace_ops *ops)
{
	if (WARN_ON_ONCE(ftrace_ops_registered(ops)))
		return;
	ops->slot = &global_ops.own;
}
EXPORT_SYMBOL_GPL(ftrace_ops_set_global_filter);

/**
 * ftrace_free_filter() - reset an ops's own filter to all functions
 * @ops: ops that is not registered; it may be freed afterwards
 *
 * A filter that @ops shares with others stays.
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_free_filter(struct ftrace_ops *ops)
{
	mutex_lock(&ftrace_lock);
	if (!WARN_ON_ONCE(ops->hook))
		ftrace_slot_replace(&ops->own, &ftrace_filter_all);
	mutex_unlock(&ftrace_lock);
}
EXPORT_SYMBOL_GPL(ftrace_free_filter);
