/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changing kernel text while it runs: writing bytes (text_poke_*), and making
 * and acting out single instructions (text_gen_insn, int3_emulate_*).
 *
 * Half of the kernel includes this by way of static calls. What only those need
 * who change many places at once is in <asm/text-transaction.h>.
 *
 * Documentation/arch/x86/text-patching.rst tells how it works.
 */
#ifndef _ASM_X86_TEXT_PATCHING_H
#define _ASM_X86_TEXT_PATCHING_H

#include <linux/stddef.h>
#include <linux/types.h>
#include <asm/ptrace.h>

/* The instructions that are put into live text, and how long they are. */
#define CALL_INSN_OPCODE	0xE8
#define JMP32_INSN_OPCODE	0xE9
#define JMP8_INSN_OPCODE	0xEB
#define RET_INSN_OPCODE		0xC3
#define INT3_INSN_OPCODE	0xCC

#define CALL_INSN_SIZE		5
#define JMP32_INSN_SIZE		5
#define JMP8_INSN_SIZE		2
#define RET_INSN_SIZE		1
#define INT3_INSN_SIZE		1
#define DISP32_SIZE		4

/* What fits into a text_poke_insn; a conditional jump of 6 bytes does not. */
#define POKE_MAX_OPCODE_SIZE	5

union text_poke_insn {
	u8 text[POKE_MAX_OPCODE_SIZE];
	struct {
		u8 opcode;
		s32 disp;
	} __packed;
};

extern int after_bootmem;
extern struct mm_struct *poking_mm;
extern unsigned long poking_addr;

/* write.c: bytes into text */
void text_poke_early(void *addr, const void *opcode, size_t len);
void *text_poke(void *addr, const void *opcode, size_t len);
void *text_poke_kgdb(void *addr, const void *opcode, size_t len);
void *text_poke_set(void *addr, int c, size_t len);
void *text_poke_copy(void *addr, const void *opcode, size_t len);
void *text_poke_copy_locked(void *addr, const void *opcode, size_t len,
			    bool core_ok);
void text_poke_sync(void);

/* poke.c: instructions for instructions */
void text_poke_bp(void *addr, const void *opcode, size_t len,
		  const void *emulate);
void text_poke_queue(void *addr, const void *opcode, size_t len,
		     const void *emulate);
void text_poke_finish(void);

/* trap.c */
int poke_int3_handler(struct pt_regs *regs);

/* alternative.c */
void text_poke_apply_relocation(u8 *buf, const u8 * const instr,
				size_t instrlen, u8 *repl, size_t repl_len);

/**
 * text_opcode_size - length of an instruction by its first byte
 * @opcode: first byte
 *
 * Return: the length, 0 for an opcode that is never generated.
 */
static __always_inline int text_opcode_size(u8 opcode)
{
	if (opcode == CALL_INSN_OPCODE || opcode == JMP32_INSN_OPCODE)
		return CALL_INSN_SIZE;
	if (opcode == JMP8_INSN_OPCODE)
		return JMP8_INSN_SIZE;
	if (opcode == RET_INSN_OPCODE || opcode == INT3_INSN_OPCODE)
		return RET_INSN_SIZE;
	return 0;
}

/*
 * Write the instruction with @opcode that lies at @addr and refers to @dest
 * into @buf. A @size above the opcode's own is for the 0x0f-prefixed forms and
 * for returns that are padded by the caller.
 *
 * OPTIMIZER_HIDE_VAR(): the compiler must not see that @addr or @dest is the
 * address of a function, or it leaves a reference to the middle of text behind
 * that objtool takes for an indirect branch target without ENDBR.
 */
static __always_inline
void __text_gen_insn(void *buf, u8 opcode, const void *addr, const void *dest,
		     int size)
{
	union text_poke_insn *out = buf;
	long disp;

	BUG_ON(text_opcode_size(opcode) > size);
	OPTIMIZER_HIDE_VAR(dest);
	OPTIMIZER_HIDE_VAR(out);
	OPTIMIZER_HIDE_VAR(addr);

	out->opcode = opcode;
	if (size == 1)
		return;

	disp = (long)dest - (long)addr - size;
	/* A short jump reaches what fits into a signed byte. */
	BUG_ON(size == JMP8_INSN_SIZE && disp != (s8)disp);
	out->disp = disp;
}

/**
 * text_gen_insn - make an instruction
 * @opcode: one of the _INSN_OPCODE values
 * @addr:   where it will lie
 * @dest:   what it calls or jumps to
 *
 * Context: text_mutex, because each place that calls this (it is inlined) has
 *	    one buffer, which the next call through the same place overwrites.
 * Return: the bytes.
 */
static __always_inline
void *text_gen_insn(u8 opcode, const void *addr, const void *dest)
{
	static union text_poke_insn made;
	const int size = text_opcode_size(opcode);

	__text_gen_insn(&made, opcode, addr, dest, size);
	return made.text;
}

#ifndef CONFIG_UML_X86
/*
 * Acting out an instruction from a breakpoint's saved registers. All of them
 * expect regs->ip as the trap left it: one past the breakpoint byte.
 *
 * Pushing writes below the stack pointer of the interrupted code. That is
 * memory of ours: the entry code of #BP leaves a gap between that stack
 * pointer and pt_regs (create_gap in entry_64.S, FIXUP_FRAME in entry_32.S).
 */
static __always_inline
void int3_emulate_push(struct pt_regs *regs, unsigned long val)
{
	unsigned long *slot = (unsigned long *)regs->sp - 1;

	*slot = val;
	regs->sp = (unsigned long)slot;
}

static __always_inline
unsigned long int3_emulate_pop(struct pt_regs *regs)
{
	unsigned long *slot = (unsigned long *)regs->sp;

	regs->sp = (unsigned long)(slot + 1);
	return *slot;
}

static __always_inline
void int3_emulate_jmp(struct pt_regs *regs, unsigned long ip)
{
	regs->ip = ip;
}

static __always_inline
void int3_emulate_ret(struct pt_regs *regs)
{
	int3_emulate_jmp(regs, int3_emulate_pop(regs));
}

static __always_inline
void int3_emulate_call(struct pt_regs *regs, unsigned long func)
{
	unsigned long insn = regs->ip - INT3_INSN_SIZE;

	int3_emulate_push(regs, insn + CALL_INSN_SIZE);
	int3_emulate_jmp(regs, func);
}

/*
 * @cc is the low nibble of a conditional jump's opcode. Its lowest bit inverts
 * the test, the other three choose it, in the order of the opcode map.
 */
static __always_inline
bool int3_cc_holds(unsigned long flags, u8 cc)
{
	const bool less = !(flags & X86_EFLAGS_SF) != !(flags & X86_EFLAGS_OF);
	bool holds = false;

	switch (cc >> 1) {
	case 0:		/* o */
		holds = flags & X86_EFLAGS_OF;
		break;
	case 1:		/* b */
		holds = flags & X86_EFLAGS_CF;
		break;
	case 2:		/* e */
		holds = flags & X86_EFLAGS_ZF;
		break;
	case 3:		/* be */
		holds = flags & (X86_EFLAGS_CF | X86_EFLAGS_ZF);
		break;
	case 4:		/* s */
		holds = flags & X86_EFLAGS_SF;
		break;
	case 5:		/* p */
		holds = flags & X86_EFLAGS_PF;
		break;
	case 6:		/* l */
		holds = less;
		break;
	case 7:		/* le */
		holds = less || (flags & X86_EFLAGS_ZF);
		break;
	}

	return holds != (cc & 1);
}

/* @ip is the address after the jump, @disp what is added when it is taken. */
static __always_inline
void int3_emulate_jcc(struct pt_regs *regs, u8 cc, unsigned long ip,
		      unsigned long disp)
{
	int3_emulate_jmp(regs, int3_cc_holds(regs->flags, cc) ? ip + disp : ip);
}
#endif /* !CONFIG_UML_X86 */

#endif /* _ASM_X86_TEXT_PATCHING_H */
