// SPDX-License-Identifier: GPL-2.0
/*
 * The table of machines, and tests of the few instructions in question.
 *
 * Each test handles one or more relocation types of one machine. It sees the
 * section's bytes, not the file, and may read only bytes that elf_code_has() has
 * accepted.
 */
#include <string.h>

#include "machine.h"

/* Relocation types, which older C libraries do not define */
enum {
	ARM_PC24 = 1, ARM_ABS32 = 2, ARM_THM_CALL = 10, ARM_CALL = 28,
	AARCH64_ABS64 = 257, AARCH64_CALL26 = 283,
	CKCORE_ADDR32 = 1, CKCORE_JSR_IMM26BY2 = 40,
	I386_32 = 1, I386_PC32 = 2, I386_GOT32 = 3, I386_PLT32 = 4, I386_GOT32X = 43,
	LARCH_32 = 1, LARCH_64 = 2, LARCH_MARK_LA = 20, LARCH_SOP_PLT = 29,
	LARCH_B26 = 66, LARCH_CALL36 = 110,
	MICROBLAZE_32 = 1, MICROBLAZE_64_PCREL = 3, MICROBLAZE_64 = 5,
	MIPS_32 = 2, MIPS_26 = 4, MIPS_HI16 = 5, MIPS_64 = 18, MIPS_HIGHEST = 29,
	MICROMIPS_26 = 133,
	PPC_ADDR32 = 1, PPC_REL24 = 10, PPC_PLTREL24 = 18, PPC_LOCAL24PC = 23,
	PPC64_ADDR64 = 38, PPC64_REL24_NOTOC = 116,
	RISCV_32 = 1, RISCV_64 = 2, RISCV_CALL = 18, RISCV_CALL_PLT = 19,
	S390_32 = 4, S390_PC32DBL = 19, S390_PLT32DBL = 20, S390_64 = 22,
	SH_DIR32 = 1,
	SPARC_32 = 3, SPARC_WDISP30 = 7, SPARC_WPLT30 = 18, SPARC_64 = 32,
	X86_64_64 = 1, X86_64_PC32 = 2, X86_64_PLT32 = 4, X86_64_GOTPCREL = 9,
	X86_64_32 = 10, X86_64_GOTPCRELX = 41,
};

/* What elf.h of an old C library lacks */
#ifndef EM_MICROBLAZE
#define EM_MICROBLAZE	189
#endif
#ifndef EM_RISCV
#define EM_RISCV	243
#endif
#ifndef EM_LOONGARCH
#define EM_LOONGARCH	258
#endif
#ifndef EM_CSKY
#define EM_CSKY		252
#endif

/* x86: e8 and a displacement, which is relocated */
static bool x86_call(const struct elf_code *code, uint64_t at, uint64_t *site)
{
	if (!elf_code_has(code, at, -1, 5) || code->bytes[at - 1] != 0xe8)
		return false;
	*site = at - 1;
	return true;
}

/* x86 without a PLT: ff 15 (no register) or ff 9x (with a base register) */
static bool x86_call_through_got(const struct elf_code *code, uint64_t at, uint64_t *site)
{
	if (!elf_code_has(code, at, -2, 6) || code->bytes[at - 2] != 0xff)
		return false;
	if (code->bytes[at - 1] != 0x15 && (code->bytes[at - 1] & 0xf8) != 0x90)
		return false;
	*site = at - 2;
	return true;
}

static bool x86_put_nop(const struct elf_code *code, uint64_t at,
			const unsigned char nop5[5], const unsigned char nop6[6])
{
	uint64_t site;

	if (x86_call(code, at, &site))
		memcpy(code->bytes + site, nop5, 5);
	else if (x86_call_through_got(code, at, &site))
		memcpy(code->bytes + site, nop6, 6);
	else
		return false;
	return true;
}

/* Both nops disassemble as one instruction, in 32 and 64 bit mode. */
static bool x86_silence(const struct elf_code *code, uint64_t at)
{
	static const unsigned char nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	static const unsigned char nop6[] = { 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	return x86_put_nop(code, at, nop5, nop6);
}

/* The oldest 32-bit CPUs have no long nop; use lea 0(%esi),%esi. */
static bool i386_silence(const struct elf_code *code, uint64_t at)
{
	static const unsigned char nop5[] = { 0x3e, 0x8d, 0x74, 0x26, 0x00 };
	static const unsigned char nop6[] = { 0x8d, 0xb6, 0x00, 0x00, 0x00, 0x00 };

	return x86_put_nop(code, at, nop5, nop6);
}

/*
 * arm: the callee pops lr, so a push of lr right before the call must be
 * replaced, too. A Thumb call always has the push.
 */
static bool arm_silence(const struct elf_code *code, uint64_t at)
{
	const uint32_t bl = 0xebfffffe, push_lr = 0xe52de004, nop = 0xe1a00000;
	const uint16_t t_push_lr = 0xb500, t_bl_hi = 0xf7ff, t_bl_lo = 0xfffe, t_nop = 0xbf00;

	if (!elf_code_has(code, at, 0, 4))
		return false;
	if (elf_code_word(code, at) == bl) {
		elf_code_set_word(code, at, nop);
		if (elf_code_has(code, at, -4, 4) && elf_code_word(code, at - 4) == push_lr)
			elf_code_set_word(code, at - 4, nop);
		return true;
	}
	if (!elf_code_has(code, at, -2, 6) ||
	    elf_code_half(code, at - 2) != t_push_lr ||
	    elf_code_half(code, at) != t_bl_hi || elf_code_half(code, at + 2) != t_bl_lo)
		return false;
	elf_code_set_half(code, at - 2, t_nop);
	elf_code_set_half(code, at, t_nop);
	elf_code_set_half(code, at + 2, t_nop);
	return true;
}

/* arm64 instructions are little endian, even if data is big endian. */
static bool arm64_silence(const struct elf_code *code, uint64_t at)
{
	struct elf_code little = { .bytes = code->bytes, .size = code->size };

	if (!elf_code_has(&little, at, 0, 4) || elf_code_word(&little, at) != 0x94000000)
		return false;
	elf_code_set_word(&little, at, 0xd503201f);
	return true;
}

/*
 * mips, far calls: two or four instructions with a relocation each load the
 * address into v1; then ra is saved in at, and v1 is called. The kernel patches
 * only the first one, a lui. Code that only takes the address does not save ra.
 */
static bool mips_far_call(const struct elf_code *code, uint64_t at, uint64_t *site)
{
	const uint32_t lui_v1 = 0x3c030000;
	unsigned int i;

	if (!elf_code_has(code, at, 0, 4) ||
	    (elf_code_word(code, at) & 0xffff0000) != lui_v1)
		return false;
	for (i = 1; i <= 8 && elf_code_has(code, at, 4 * i, 4); i++) {
		uint32_t insn = elf_code_word(code, at + 4 * i);

		if (insn == 0x03e00825 || insn == 0x03e0082d || insn == 0x03e00821) {
			*site = at;
			return true;
		}
	}
	return false;
}

/*
 * s390: c0 x5 is brasl; c0 x0, larl, is no call. If the function stores r14 for
 * _mcount, the site begins with that store.
 */
static bool s390_call(const struct elf_code *code, uint64_t at, uint64_t *site)
{
	static const unsigned char stg_r14[] = { 0xe3, 0xe0, 0xf0, 0x08, 0x00, 0x24 };
	static const unsigned char larl_r1[] = { 0xc0, 0x10 };

	if (!elf_code_has(code, at, -2, 6) || code->bytes[at - 2] != 0xc0 ||
	    (code->bytes[at - 1] & 0xf) != 5)
		return false;
	*site = at - 2;
	if (elf_code_has(code, *site, -6, 6) &&
	    !memcmp(code->bytes + *site - 6, stg_r14, sizeof(stg_r14)))
		*site -= 6;
	else if (elf_code_has(code, *site, -12, 12) &&
		 !memcmp(code->bytes + *site - 6, larl_r1, sizeof(larl_r1)) &&
		 !memcmp(code->bytes + *site - 12, stg_r14, sizeof(stg_r14)))
		*site -= 12;
	return true;
}

/*
 * sh: the callee's address is a literal right after "jmp @r1; lds r0,pr" and,
 * where alignment needs it, a nop. The kernel patches the literal. Only the
 * instructions before the literal distinguish it from a pointer in a literal pool.
 */
static bool sh_call(const struct elf_code *code, uint64_t at, uint64_t *site)
{
	const uint16_t jmp_r1 = 0x412b, lds_r0_pr = 0x402a, nop = 0x0009;
	uint64_t end = at;

	if (elf_code_has(code, end, -2, 2) && elf_code_half(code, end - 2) == nop)
		end -= 2;
	if (!elf_code_has(code, end, -4, 4) ||
	    elf_code_half(code, end - 2) != lds_r0_pr ||
	    elf_code_half(code, end - 4) != jmp_r1)
		return false;
	*site = at;
	return true;
}

/* microblaze: imm with the upper half, then a branch with an immediate */
static bool microblaze_call(const struct elf_code *code, uint64_t at, uint64_t *site)
{
	if (!elf_code_has(code, at, 4, 4) || elf_code_word(code, at + 4) >> 26 != 0x2e)
		return false;
	*site = at;
	return true;
}

/* loongarch, before it had a relocation for calls: la.*, then jirl */
static bool loongarch_far_call(const struct elf_code *code, uint64_t at, uint64_t *site)
{
	struct elf_code little = { .bytes = code->bytes, .size = code->size };
	unsigned int i;

	for (i = 1; i <= 5 && elf_code_has(&little, at, 4 * i, 4); i++) {
		if (elf_code_word(&little, at + 4 * i) >> 26 == 0x13) {
			*site = at;
			return true;
		}
	}
	return false;
}

/* brcl 0,0: from -mhotpatch, for a gcc for s390 that has no -mnop-mcount */
static const unsigned char s390_entry_nop[ENTRY_NOP_SIZE] = { 0xc0, 0x04 };

static const struct machine machines[] = {
	{
		.id = EM_386,
		.pointer32 = I386_32,
		.symbols = { "mcount", "__fentry__" },
		.forms = {
			{ I386_PC32, x86_call },
			{ I386_PLT32, x86_call },
			{ I386_GOT32, x86_call_through_got },
			{ I386_GOT32X, x86_call_through_got },
		},
		.silence = i386_silence,
	}, {
		.id = EM_AARCH64,
		.pointer64 = AARCH64_ABS64,
		.symbols = { "_mcount" },
		.forms = { { AARCH64_CALL26, NULL } },
		.silence = arm64_silence,
	}, {
		.id = EM_ARM,
		.pointer32 = ARM_ABS32,
		.moves_functions = true,	/* bit 0 of a Thumb function */
		.symbols = { "__gnu_mcount_nc", "mcount" },
		.forms = {
			{ ARM_CALL, NULL },
			{ ARM_THM_CALL, NULL },
			{ ARM_PC24, NULL },
		},
		.silence = arm_silence,
	}, {
		.id = EM_CSKY,
		.pointer32 = CKCORE_ADDR32,
		.symbols = { "_mcount" },
		.forms = { { CKCORE_JSR_IMM26BY2, NULL } },
	}, {
		.id = EM_LOONGARCH,
		.pointer32 = LARCH_32,
		.pointer64 = LARCH_64,
		.symbols = { "_mcount" },
		.forms = {
			{ LARCH_B26, NULL },
			{ LARCH_CALL36, NULL },
			{ LARCH_SOP_PLT, NULL },
			{ LARCH_MARK_LA, loongarch_far_call },
		},
	}, {
		.id = EM_MICROBLAZE,
		.pointer32 = MICROBLAZE_32,
		.symbols = { "_mcount" },
		.forms = {
			{ MICROBLAZE_64, microblaze_call },
			{ MICROBLAZE_64_PCREL, microblaze_call },
		},
	}, {
		.id = EM_MIPS,
		.pointer32 = MIPS_32,
		.pointer64 = MIPS_64,
		.moves_functions = true,	/* bit 0 of a microMIPS function */
		.symbols = { "_mcount" },
		.forms = {
			{ MIPS_26, NULL },
			{ MICROMIPS_26, NULL },
			{ MIPS_HI16, mips_far_call },
			{ MIPS_HIGHEST, mips_far_call },
		},
	}, {
		.id = EM_PPC,
		.pointer32 = PPC_ADDR32,
		.symbols = { "_mcount" },
		.forms = {
			{ PPC_REL24, NULL },
			{ PPC_PLTREL24, NULL },
			{ PPC_LOCAL24PC, NULL },
		},
	}, {
		.id = EM_PPC64,
		.pointer64 = PPC64_ADDR64,
		.symbols = { "_mcount", "._mcount" },
		.forms = {
			{ PPC_REL24, NULL },
			{ PPC64_REL24_NOTOC, NULL },
		},
	}, {
		.id = EM_RISCV,
		.pointer32 = RISCV_32,
		.pointer64 = RISCV_64,
		.symbols = { "_mcount" },
		.forms = {
			{ RISCV_CALL, NULL },
			{ RISCV_CALL_PLT, NULL },
		},
	}, {
		.id = EM_S390,
		.pointer32 = S390_32,
		.pointer64 = S390_64,
		.symbols = { "_mcount", "__fentry__" },
		.forms = {
			{ S390_PLT32DBL, s390_call },
			{ S390_PC32DBL, s390_call },
		},
		.entry_nop = s390_entry_nop,
	}, {
		.id = EM_SH,
		.pointer32 = SH_DIR32,
		.symbols = { "mcount" },
		.forms = { { SH_DIR32, sh_call } },
	}, {
		.id = EM_SPARC,
		.pointer32 = SPARC_32,
		.symbols = { "_mcount" },
		.forms = {
			{ SPARC_WDISP30, NULL },
			{ SPARC_WPLT30, NULL },
		},
	}, {
		.id = EM_SPARC32PLUS,
		.pointer32 = SPARC_32,
		.symbols = { "_mcount" },
		.forms = {
			{ SPARC_WDISP30, NULL },
			{ SPARC_WPLT30, NULL },
		},
	}, {
		.id = EM_SPARCV9,
		.pointer64 = SPARC_64,
		.symbols = { "_mcount" },
		.forms = {
			{ SPARC_WDISP30, NULL },
			{ SPARC_WPLT30, NULL },
		},
	}, {
		.id = EM_X86_64,
		.pointer32 = X86_64_32,
		.pointer64 = X86_64_64,
		.symbols = { "__fentry__", "mcount" },
		.forms = {
			{ X86_64_PLT32, x86_call },
			{ X86_64_PC32, x86_call },
			{ X86_64_GOTPCRELX, x86_call_through_got },
			{ X86_64_GOTPCREL, x86_call_through_got },
		},
		.silence = x86_silence,
	},
};

/**
 * machine_find() - look up the row of a machine
 * @id: the ELF header's e_machine
 *
 * Return: the row, or NULL if there is none.
 */
const struct machine *machine_find(uint16_t id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].id == id)
			return &machines[i];
	return NULL;
}

/* Relocation type of a pointer to a site; 0 if there are no objects of that width. */
uint32_t machine_pointer(const struct machine *machine, bool wide)
{
	return wide ? machine->pointer64 : machine->pointer32;
}

/**
 * machine_is_symbol() - test whether traced functions call a symbol
 * @machine: the row
 * @name: name of a symbol
 *
 * Return: true if the row lists the name.
 */
bool machine_is_symbol(const struct machine *machine, const char *name)
{
	size_t i;

	for (i = 0; i < MAX_SYMBOLS && machine->symbols[i]; i++)
		if (!strcmp(machine->symbols[i], name))
			return true;
	return false;
}

/**
 * machine_is_call() - test whether a relocation to a profiling symbol is a call
 * @machine: the row
 * @code: bytes of the section that is relocated
 * @type: relocation type
 * @at: offset of the relocation in the section
 * @site: filled with the offset of the site's first byte
 *
 * Return: true if it is a call, false if the code only takes the address.
 */
bool machine_is_call(const struct machine *machine, const struct elf_code *code,
		     uint32_t type, uint64_t at, uint64_t *site)
{
	size_t i;

	for (i = 0; i < MAX_FORMS && machine->forms[i].type; i++) {
		if (machine->forms[i].type != type)
			continue;
		if (machine->forms[i].test)
			return machine->forms[i].test(code, at, site);
		*site = at;
		return true;
	}
	return false;
}

/**
 * machine_is_entry_nop() - test whether a function begins with the entry nop
 * @machine: the row
 * @code: bytes of the section
 * @at: offset of the function
 *
 * Return: true if it does, which makes the function's first byte a site.
 */
bool machine_is_entry_nop(const struct machine *machine, const struct elf_code *code,
			  uint64_t at)
{
	return machine->entry_nop && elf_code_has(code, at, 0, ENTRY_NOP_SIZE) &&
	       !memcmp(code->bytes + at, machine->entry_nop, ENTRY_NOP_SIZE);
}
