// SPDX-License-Identifier: GPL-2.0
/*
 * Words written to a filter file.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../trace.h"
#include "../sites/discovered.h"
#include "filter_cond.h"
#include "filter_session.h"
#include "probes.h"
#include "tracefs.h"

static int stage_locked(struct ftrace_session *s, const struct ftrace_match *m, const char *text,
			bool later)
{
	struct ftrace_draft *draft = &s->draft;
	int ret;

	ret = ftrace_edit_find(&draft->edit, m, NULL);
	if (!ftrace_tracer_slot(ftrace_session_tracer(s)))
		return ret || draft->check ? ret : ftrace_edit_stage(&draft->edit, m->not);
	ret = ftrace_draft_stage(draft, m, text, later, ret, ftrace_session_waiting(s));
	/* Removing a function that is not in the filter is no error, discovered or not. */
	if (ret == -EINVAL && m->not && text[1] && m->kind != FTRACE_MATCH_INDEX &&
	    ftrace_discovered_any() && ftrace_names_undiscovered(m))
		ret = 0;
	return ret;
}

static int stage_name(struct ftrace_session *s, const struct ftrace_match *m, const char *text,
		      bool later)
{
	int ret;

	guard(mutex)(&ftrace_lock);

	if (!ftrace_session_alive(s))
		return -ENODEV;
	/* Not left set: sites that drafts_added() stages have no condition. */
	s->draft.edit.cond = s->cond;
	ret = stage_locked(s, m, text, later);
	s->draft.edit.cond = NULL;
	return ret;
}

/* Stage a name, a pattern or a line number; if @later, for functions not discovered yet. */
static int write_name(struct ftrace_session *s, const char *text, bool later)
{
	unsigned int skip = text[0] == '!';
	enum ftrace_why why;
	struct ftrace_match m;
	int ret;

	ret = ftrace_match_parse(&m, text, strlen(text));
	if (!ret)
		ret = stage_name(s, &m, text, later);
	if (!ret)
		return 0;

	if (ret == -ENODEV)
		why = FTRACE_WHY_GONE;
	else if (ret == -E2BIG)
		why = FTRACE_WHY_MANY_CONDS;
	else
		why = ftrace_why_no_site(text + skip, ret);
	ftrace_session_complain(s, skip, why);
	return ret;
}

static int stage_mod(struct ftrace_session *s, const char *func, const char *module,
		     bool remove)
{
	int ret = ftrace_mods_edit_stage(&s->mods, func, module, remove);

	s->draft.edit.changed |= !ret;
	return ret;
}

/*
 * "[!]FUNC:mod:MODULE". An empty MODULE is any module. "!MODULE" is the kernel
 * and every loaded module but that one; it never waits for a module. A module that is
 * not loaded may be built in.
 */
static int write_mod(struct ftrace_session *s, char *func, char *module, unsigned int module_pos)
{
	unsigned int skip = func[0] == '!';
	enum ftrace_why why = FTRACE_WHY_NO_MATCH;
	struct ftrace_match m;
	struct ftrace_edit *edit = &s->draft.edit;
	struct list_head *mods = ftrace_session_mods(s);
	unsigned int pos = skip;
	int ret;

	ret = ftrace_match_parse(&m, func, strlen(func));
	if (ret || m.in || m.kind == FTRACE_MATCH_INDEX) {
		ftrace_session_complain(s, skip, m.in ? FTRACE_WHY_NO_FILE : FTRACE_WHY_BAD_LINE);
		return -EINVAL;
	}
	if (m.at)
		why = FTRACE_WHY_NOT_THERE;
	if (!*module)
		module = "*";

	mutex_lock(&ftrace_lock);
	if (!ftrace_session_alive(s)) {
		mutex_unlock(&ftrace_lock);
		ftrace_session_complain(s, skip, FTRACE_WHY_GONE);
		return -ENODEV;
	}

	edit->cond = s->cond;
	ret = ftrace_edit_word(edit, &m, module);
	if (skip && ret != -ENOMEM &&
	    ftrace_mods_edit_has(&s->mods, edit->reset ? NULL : mods, func + skip, module)) {
		/* '!' removes a word that the file shows, whether its module is loaded or not. */
		ret = stage_mod(s, func + skip, module, true);
	} else if (ret == -EINVAL && *module == '!') {
		why = ftrace_why_no_site(func + skip, ret);
	} else if (ret == -EINVAL && ftrace_module_built_in(&m, module)) {
		ret = ftrace_edit_word(edit, &m, NULL);
	} else if (ret == -EINVAL && !ftrace_module_there(module)) {
		why = FTRACE_WHY_NO_MODULE;
		pos = module_pos;
		if (!skip && mods && !s->cond)
			ret = stage_mod(s, func, module, false);
	} else if (ret == -E2BIG) {
		why = FTRACE_WHY_MANY_CONDS;
	}
	edit->cond = NULL;
	mutex_unlock(&ftrace_lock);

	if (ret)
		ftrace_session_complain(s, pos, ret == -ENOMEM ? FTRACE_WHY_NO_MEMORY : why);
	return ret;
}

struct command {
	char		*func, *name, *params;		/* ->params may be NULL */
	unsigned int	name_pos, params_pos;
};

static void cut(struct command *c, char *text)
{
	c->func = text;
	c->name = ftrace_word_command(text);
	*c->name++ = '\0';
	c->params = strchr(c->name, ':');
	if (c->params)
		*c->params++ = '\0';
	c->name_pos = c->name - text;
	c->params_pos = c->params ? c->params - text : c->name_pos;
}

/*
 * Files show "unlimited" or "count=N" after a command. Turn that into what is
 * written: nothing, or N. Return: True if there was such a word.
 */
static bool unprint(char *text)
{
	char *last = strrchr(text, ':');

	/* The first word after the function is the command itself. */
	if (last == ftrace_word_command(text))
		return false;
	if (!strcmp(last, ":unlimited")) {
		*last = '\0';
		return true;
	}
	if (!str_has_prefix(last, ":count="))
		return false;
	/* A count of -1 is how "command:", with nothing after the colon, is shown. */
	if (!strcmp(last, ":count=-1"))
		last[1] = '\0';
	else
		memmove(last + 1, last + strlen(":count="), strlen(last + strlen(":count=")) + 1);
	return true;
}

/* Find why a command was refused and, in @pos, where in the word. Modifies @c. */
static enum ftrace_why why_command(struct ftrace_session *s, struct command *c, int err,
				   unsigned int *pos)
{
	bool event = !strcmp(c->name, "enable_event") || !strcmp(c->name, "disable_event");
	bool counts = strcmp(c->name, "dump") && strcmp(c->name, "cpudump");
	unsigned int skip = c->func[0] == '!';
	struct ftrace_siteset_builder found = { };
	unsigned long n;

	*pos = c->params_pos;
	if (event) {
		char *sys = strsep(&c->params, ":"), *name = strsep(&c->params, ":");

		if (!sys || !name)
			return FTRACE_WHY_NO_EVENT;
		guard(mutex)(&event_mutex);
		if (!find_event_file(ftrace_session_tracer(s)->tr ?: s->tr, sys, name))
			return FTRACE_WHY_NO_EVENT;
		*pos += strlen(sys) + strlen(name) + 2;
	}
	if (c->params && counts && !skip) {
		char *count = strsep(&c->params, ":");

		if ((event && !*count) || (*count && kstrtoul(count, 0, &n)))
			return FTRACE_WHY_BAD_COUNT;
	}

	*pos = skip;
	if (err == -ENOMEM)
		return FTRACE_WHY_NO_MEMORY;
	if (err == -ENODEV && skip)
		return FTRACE_WHY_NO_PROBE;
	if (err != -EINVAL)
		return FTRACE_WHY_FAILED;

	if (!skip && !c->func[0])
		return FTRACE_WHY_NO_FUNCTION;
	mutex_lock(&ftrace_lock);
	err = ftrace_probe_find(c->func + skip, &found);
	mutex_unlock(&ftrace_lock);
	n = found.n;
	ftrace_siteset_drop(&found);
	if (err || !n)
		return ftrace_why_no_site(c->func + skip, err);
	return skip ? FTRACE_WHY_NO_PROBE : FTRACE_WHY_PROBE_EXISTS;
}

/*
 * The command has modified its copy of the word; parse the word again. Writing back a
 * command as it is shown is no error on functions that have it. Return: 0 or the error.
 */
static int command_failed(struct ftrace_session *s, int err)
{
	bool printed = false;
	enum ftrace_why why = FTRACE_WHY_NO_MEMORY;
	unsigned int pos = 0;
	struct command c;
	char *text;

	text = kstrdup(s->draft.word.text, GFP_KERNEL);
	if (text) {
		printed = unprint(text);
		cut(&c, text);
		why = why_command(s, &c, err, &pos);
	}
	kfree(text);
	if (printed && why == FTRACE_WHY_PROBE_EXISTS)
		return 0;
	ftrace_session_complain(s, pos, why);
	return err;
}

/* "[!]FUNC:COMMAND[:PARAMS]", or "[!]FUNC:wait" */
static int write_command(struct ftrace_session *s)
{
	struct trace_array *tr = ftrace_session_tracer(s)->tr ?: s->tr;
	struct ftrace_func_command *cmd;
	struct command c;
	int ret;

	strscpy(s->text, s->draft.word.text);
	if (ftrace_draft_later(s->text))
		return write_name(s, s->text, true);
	unprint(s->text);
	cut(&c, s->text);

	if (!strcmp(c.name, "mod") && (tr || ftrace_session_mods(s)))
		return write_mod(s, c.func, c.params ?: "", c.params_pos);
	if (!tr) {
		ftrace_session_complain(s, c.name_pos, FTRACE_WHY_NO_COMMANDS);
		return -ENODEV;
	}
	cmd = ftrace_command_find(c.name);
	if (!cmd) {
		ftrace_session_complain(s, c.name_pos, FTRACE_WHY_NO_COMMAND);
		return -EINVAL;
	}
	if (s->cond) {
		ftrace_session_complain(s, c.name_pos, FTRACE_WHY_COND_NOT_HERE);
		return -EINVAL;
	}
	if (s->except) {
		ftrace_session_complain(s, c.name_pos, FTRACE_WHY_COMMAND_NOT_HERE);
		return -EINVAL;
	}

	ret = cmd->func(tr, NULL, c.func, c.name, c.params, true);
	return ret < 0 ? command_failed(s, ret) : 0;
}

/* "[!]FUNC [MODULE][:at:PLACE]", as files show it */
static int write_module_name(struct ftrace_session *s)
{
	char *module;

	strscpy(s->text, s->draft.word.text);
	module = ftrace_word_module(s->text);
	if (!module || !*module) {
		ftrace_session_complain(s, strlen(s->text), FTRACE_WHY_NO_MODULE);
		return -EINVAL;
	}
	return write_mod(s, s->text, module, strcspn(s->draft.word.text, "[") + 1);
}

/* Cut the condition off the word, and keep it in ->cond. */
static int take_cond(struct ftrace_session *s)
{
	char *word = s->draft.word.text, *end = strstr(word, FTRACE_IF);
	enum ftrace_why why = FTRACE_WHY_COND_NOT_HERE;
	struct ftrace_cond *cond;
	unsigned int pos;

	if (!end)
		return 0;
	cond = ftrace_word_cond(word, end + strlen(FTRACE_IF), &pos, &why);
	if (!IS_ERR(cond) && s->except) {
		ftrace_cond_put(cond);
		cond = ERR_PTR(-EINVAL);
		pos = end - word;
	}
	if (IS_ERR(cond)) {
		ftrace_session_complain(s, pos, why);
		return PTR_ERR(cond);
	}
	*end = '\0';
	s->cond = cond;
	return 0;
}

/**
 * ftrace_session_word() - stage a word, or run its command
 * @draft: the session's draft, with the word
 *
 * Context: Process context. May sleep. The draft's lock held, ftrace_lock not.
 * Return: 0 on success, else an error listed at ftrace_filter_write().
 */
int ftrace_session_word(struct ftrace_draft *draft)
{
	struct ftrace_session *s = container_of(draft, struct ftrace_session, draft);
	int ret;

	ret = take_cond(s);
	if (ret)
		return ret;
	if (ftrace_word_command(draft->word.text))
		ret = write_command(s);
	else if (strchr(draft->word.text, ' '))
		ret = write_module_name(s);
	else
		ret = write_name(s, draft->word.text, false);
	ftrace_cond_put(s->cond);
	s->cond = NULL;
	return ret;
}
