/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of hook_torture.c: the changes of hooks.
 */
#ifndef _FTRACE_HOOK_TORTURE_CHANGES_H
#define _FTRACE_HOOK_TORTURE_CHANGES_H

/* ---- changes ---- */

struct changer {
	unsigned int		who;
	struct rnd_state	dice;
};

static unsigned int roll(struct changer *me, unsigned int below)
{
	return prandom_u32_state(&me->dice) % below;
}

/* From here on, callers expect nothing of the pairs that @to changes. */
static void announce(struct slot *s, const struct setting *to)
{
	const int nr = s - slots;
	int f;

	if (to->on && bitmap_empty(to->only, FUNCS))
		WRITE_ONCE(s->hook->ever_all, true);
	if (to->on)
		bitmap_or(s->hook->ever, s->hook->ever, to->only, FUNCS);
	for (f = 0; f < HOOK_TARGETS; f++)
		if (wants(&s->now, f) != wants(to, f))
			WRITE_ONCE(pairs[f][nr], pairs[f][nr] | CHANGING);
}

/* The announced change is made: callers expect the new state. */
static void conclude(struct slot *s, const struct setting *to)
{
	const int nr = s - slots;
	int f;

	for (f = 0; f < HOOK_TARGETS; f++) {
		u32 pair = pairs[f][nr];

		if (!(pair & CHANGING))
			continue;
		pair = (pair & ~(WANTED | CHANGING)) + VERSION;
		if (wants(to, f) != (lies(LIE_CHANGE) && changes() > 20))
			pair |= WANTED;
		WRITE_ONCE(pairs[f][nr], pair);
	}
	s->now = *to;
}

/* Choose whether failslab may refuse allocations of this task. */
#ifdef CONFIG_FAULT_INJECTION
static void may_fail(bool may)
{
	current->make_it_fail = may;
}
#else
static void may_fail(bool may)
{
}
#endif

/* Call before a call of the API. */
static void change_begins(struct slot *s, const struct setting *to)
{
	announce(s, to);
	/*
	 * Orders CHANGING before the change; pairs with the barrier of judge():
	 * a call that has met the new state sees CHANGING, or a later VERSION,
	 * afterwards.
	 */
	smp_mb();
	may_fail(enomem);
}

/* Call after a call of the API. @err: its result; @wanted: the right result. */
static bool change_ends(struct slot *s, const struct setting *to, int err, int wanted)
{
	const struct setting old = s->now;

	may_fail(false);
	/*
	 * Orders the change before the new word; pairs with the barrier of
	 * call_one(): a caller that reads the new word meets the new state.
	 */
	smp_mb();
	conclude(s, err ? &old : to);
	if (err == -ENOMEM && enomem && to->on >= old.on) {
		atomic_long_inc(&refusals);
		return false;
	}
	if (err != wanted)
		fault("the API's answer", s - slots, -1, err, wanted);
	return !err;
}

static void come(struct slot *s)
{
	struct hook *h = s->hook;
	struct setting to = s->now;
	int err;

	to.on = true;
	WRITE_ONCE(h->ever_all, false);
	bitmap_zero(h->ever, FUNCS);
	WRITE_ONCE(h->life, ALIVE);
	change_begins(s, &to);
	WRITE_ONCE(s->begun, atomic64_inc_return(&clock));
	err = register_ftrace_function(&h->ops);
	WRITE_ONCE(s->done, atomic64_inc_return(&clock));
	if (change_ends(s, &to, err, 0))
		atomic_long_inc(&comings);
	else
		WRITE_ONCE(h->life, DEAD);
}

static void go(struct slot *s)
{
	struct hook *h = s->hook;
	struct setting to = s->now;
	int err;

	to.on = false;
	if (lies(LIE_WAIT))
		WRITE_ONCE(h->life, DEAD);
	change_begins(s, &to);
	err = unregister_ftrace_function(&h->ops);
	WRITE_ONCE(h->life, DEAD);
	change_ends(s, &to, err, 0);
	atomic_long_inc(&goings);
}

/* The address of a function or of its site. */
static unsigned long address_of(struct changer *me, int func)
{
	int i;

	if (func >= HOOK_TARGETS)
		return (unsigned long)elsewhere[func - HOOK_TARGETS];
	if (roll(me, 2))
		return (unsigned long)hook_targets[func].fn;
	for (i = 0; places[i].func != func; i++)
		;
	return places[i].ip;
}

/* Add functions to the filter by address, or remove them. */
static void set_ips(struct changer *me, struct slot *s, const unsigned long *given,
		    bool remove, bool reset)
{
	struct ftrace_ops *ops = &s->hook->ops;
	struct setting to = s->now;
	unsigned long ips[FUNCS];
	unsigned int nr = 0, f;
	int err, wanted = 0;

	for_each_set_bit(f, given, FUNCS)
		ips[nr++] = address_of(me, f);

	if (remove && (reset || !bitmap_subset(given, to.only, FUNCS)))
		wanted = -ENOENT;
	else if (remove)
		bitmap_andnot(to.only, to.only, given, FUNCS);
	else if (reset)
		bitmap_copy(to.only, given, FUNCS);
	else
		bitmap_or(to.only, to.only, given, FUNCS);

	change_begins(s, &to);
	err = nr == 1 ? ftrace_set_filter_ip(ops, ips[0], remove, reset) :
			ftrace_set_filter_ips(ops, ips, nr, remove, reset);
	change_ends(s, &to, err, wanted);
	atomic_long_inc(&edits);
}

/* Draw about @percent of the functions at random, at least one. */
static void draw(struct changer *me, unsigned long *set, unsigned int percent)
{
	int f;

	bitmap_zero(set, FUNCS);
	for (f = 0; f < FUNCS; f++)
		if (roll(me, 100) < percent)
			__set_bit(f, set);
	if (bitmap_empty(set, FUNCS))
		__set_bit(roll(me, HOOK_TARGETS), set);
}

static void add_ips(struct changer *me, struct slot *s)
{
	DECLARE_BITMAP(given, FUNCS);

	draw(me, given, roll(me, 2) ? 0 : roll(me, 40));
	set_ips(me, s, given, false, !roll(me, 4));
}

static void remove_ips(struct changer *me, struct slot *s)
{
	DECLARE_BITMAP(given, FUNCS);
	DECLARE_BITMAP(rest, FUNCS);

	draw(me, given, roll(me, 2) ? 0 : roll(me, 60));
	/* Rarely keep functions that are not in the filter: then the whole call is refused. */
	if (roll(me, 8))
		bitmap_and(given, given, s->now.only, FUNCS);
	/* None left would mean all. */
	bitmap_andnot(rest, s->now.only, given, FUNCS);
	if (!bitmap_empty(given, FUNCS) && !bitmap_empty(rest, FUNCS))
		set_ips(me, s, given, true, false);
}

/* Draw a pattern, to be used with or without its "!"; @set: the targets it matches. */
static int draw_pattern(struct changer *me, char *buf, size_t size, unsigned long *set)
{
	const unsigned int a = roll(me, 5), b = roll(me, 10);
	const char *pattern;
	int f;

	switch (roll(me, 6)) {
	case 0:
		snprintf(buf, size, "!hook_target_%u*", a);
		break;
	case 1:
		snprintf(buf, size, "!hook_target_?%u", b);
		break;
	case 2:
		snprintf(buf, size, "!*ook_target_%u%u", a, b % 8);
		break;
	case 3:
		snprintf(buf, size, "!hook_target_[0-%u]%u", a, b);
		break;
	case 4:
		snprintf(buf, size, "!*ook_target_%u*", a);
		break;
	default:
		snprintf(buf, size, "!hook_target_%u%u", a, b % 8);
		break;
	}

	pattern = buf + 1;
	bitmap_zero(set, FUNCS);
	for (f = 0; f < HOOK_TARGETS; f++)
		if (glob_match(pattern, hook_targets[f].name))
			__set_bit(f, set);
	return roll(me, 2);	/* use the pattern with its "!" */
}

static void set_by_name(struct changer *me, struct slot *s, bool except)
{
	struct ftrace_ops *ops = &s->hook->ops;
	struct setting to = s->now;
	unsigned long *words = except ? to.except : to.only;
	DECLARE_BITMAP(given, FUNCS);
	char buf[32], *word;
	bool reset = false;
	int err;

	if (draw_pattern(me, buf, sizeof(buf), given)) {
		word = buf;
		bitmap_andnot(words, words, given, FUNCS);
	} else {
		word = buf + 1;
		reset = !roll(me, 2);
		if (reset)
			bitmap_zero(words, FUNCS);
		bitmap_or(words, words, given, FUNCS);
	}
	/* None left would mean all. */
	if (!except && bitmap_empty(words, FUNCS))
		return;

	change_begins(s, &to);
	err = except ? ftrace_set_notrace(ops, word, strlen(word), reset) :
		       ftrace_set_filter(ops, word, strlen(word), reset);
	change_ends(s, &to, err, 0);
	atomic_long_inc(&edits);
}

/* Leave out no function any more. */
static void except_nothing(struct slot *s)
{
	struct setting to = s->now;
	int err;

	bitmap_zero(to.except, FUNCS);
	change_begins(s, &to);
	err = ftrace_set_notrace(&s->hook->ops, NULL, 0, 1);
	change_ends(s, &to, err, 0);
	atomic_long_inc(&edits);
}

/* Put the hook on every function of the kernel, then on a few. */
static void want_all(struct changer *me, struct slot *s)
{
	DECLARE_BITMAP(few, FUNCS);
	struct setting to = s->now;
	int err;

	bitmap_zero(to.only, FUNCS);
	change_begins(s, &to);
	err = ftrace_set_filter(&s->hook->ops, NULL, 0, 1);
	if (change_ends(s, &to, err, 0))
		atomic_long_inc(&alls);

	/* Without memory, the hook stays on all for a while longer. */
	draw(me, few, 20);
	set_ips(me, s, few, false, true);
}

/* Requests that must be refused and change nothing. */
static void ask_nonsense(struct slot *s)
{
	struct ftrace_ops *ops = &s->hook->ops;
	const struct setting to = s->now;
	unsigned char name[] = "hook_target_99*";
	unsigned long ips[] = { (unsigned long)hook_targets[0].fn, (unsigned long)slots };

	change_begins(s, &to);
	change_ends(s, &to, ftrace_set_filter(ops, name, sizeof(name) - 1, 1), -EINVAL);
	change_begins(s, &to);
	change_ends(s, &to, ftrace_set_notrace(ops, name, sizeof(name) - 1, 1), -EINVAL);
	change_begins(s, &to);
	change_ends(s, &to, ftrace_set_filter_ips(ops, ips, 2, 0, 1), -EINVAL);
}

/* A hook may be freed as soon as unregistering has returned. */
static void free_hook(struct slot *s)
{
	struct hook *h = s->hook;

	if (!h)
		return;
	ftrace_free_filter(&h->ops);
	memset(h, POISON_FREE, sizeof(*h));
	kfree(h);
	s->hook = NULL;
}

static int make_hook(struct changer *me, struct slot *s)
{
	const struct kind *kind = &kinds[roll(me, ARRAY_SIZE(kinds))];
	DECLARE_BITMAP(few, FUNCS);
	struct hook *h;

	h = kzalloc_obj(*h);
	if (!h)
		return -ENOMEM;
	h->ops.func = kind->func;
	h->ops.flags = kind->flags;
	h->life = DEAD;
	h->slot = s - slots;
	s->hook = h;
	s->now = (struct setting){};

	draw(me, few, 20);
	set_ips(me, s, few, false, true);
	return 0;
}

static unsigned int own_slots(struct changer *me, struct slot **own)
{
	unsigned int i, nr = 0;

	for (i = me->who; i < SLOTS; i += changers)
		own[nr++] = &slots[i];
	return nr;
}

static void go_some(struct changer *me, unsigned int percent)
{
	for (unsigned int i = me->who; i < SLOTS; i += changers)
		if (slots[i].now.on && roll(me, 100) < percent)
			go(&slots[i]);
}

static void change_slot(struct changer *me, struct slot *s)
{
	switch (roll(me, 48)) {
	case 0 ... 2:
		if (s->now.on)
			go(s);
		else
			come(s);
		break;
	case 3 ... 15:
		add_ips(me, s);
		break;
	case 16 ... 26:
		remove_ips(me, s);
		break;
	case 27 ... 35:
		set_by_name(me, s, false);
		break;
	case 36 ... 41:
		set_by_name(me, s, true);
		break;
	case 42 ... 43:
		except_nothing(s);
		break;
	case 44 ... 46:
		ask_nonsense(s);
		break;
	default:
		/* Rarely: switching 30,000 sites on and off takes a while. */
		if (!roll(me, 4))
			want_all(me, s);
		break;
	}
}

static int changer_loop(void *data)
{
	struct changer *me = data;
	struct slot *own[SLOTS];
	const unsigned int nr = own_slots(me, own);

	while (!kthread_should_stop()) {
		struct slot *s = own[roll(me, nr)];

		if (!s->hook || (!s->now.on && !roll(me, 4))) {
			free_hook(s);
			if (make_hook(me, s)) {
				fault("no memory", s - slots, -1, 0, 0);
				break;
			}
		}
		/* make_hook() found no memory for a filter. */
		if (bitmap_empty(s->now.only, FUNCS))
			add_ips(me, s);
		else if (!s->now.on && roll(me, 2))
			come(s);
		else
			change_slot(me, s);
		if (!roll(me, 80))
			go_some(me, 60);
		cond_resched();
	}
	go_some(me, 100);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 10);
	return 0;
}

#endif /* _FTRACE_HOOK_TORTURE_CHANGES_H */
