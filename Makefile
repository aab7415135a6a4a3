# SPDX-License-Identifier: GPL-2.0
#
# Dynamic ftrace, rebuilt: a patch series for Linux 7.3.
#   make run     build a kernel with the series, boot it, trace a workload
#   make test    prove it
# Everything made lies in build/; see README.md and "make help".

tools := series/tools
export BUILD ?= $(CURDIR)/build
export STEP_START := $(or $(STEP_START),$(shell date +%s))
IMPL ?= $(if $(filter arm64,$(ARCH)),arm64,run)
ifeq ($(ARCH),arm64)
export CROSS_COMPILE ?= aarch64-linux-gnu-
of_arch := -arm64
endif
config := series/config/reference.config
modules := series/config/modules.config
of_base = $(shell sed -n 's/^$(1) *\([^ ]*\).*/\1/p' series/base)
version := $(call of_base,version)
frozen := $(firstword $(call of_base,frozen))
goals := $(or $(MAKECMDGOALS),help)
# BASE is for make alone: test suites have one of their own.
unexport BASE

ifneq ($(filter-out $(version),$(BASE)),)

# Another base: the same goals, by the last commit of ours that was on it.
.PHONY: $(goals) on-frozen-base
$(goals): on-frozen-base ;
on-frozen-base:
	+@$(tools)/frozen.sh $(BASE)
	@$(MAKE) --no-print-directory -C $(BUILD)/frozen-$(BASE) $(goals) BASE=$(BASE) \
		BUILD=$(abspath $(BUILD))/frozen-$(BASE)/build \
		$(foreach v,LINUX_SRC CONFIG_EXTRA CONFIG LINUX BISECT $(if $(filter-out 1,$(HERE)),HERE),\
			$(if $($v),$v="$(abspath $($v))"))

else ifneq ($(and $(frozen),$(filter run test,$(goals)),$(if $(BASE),,unsaid)),)

# The two commands go on with an earlier base where this one's source cannot be had.
.PHONY: $(goals) choose-base
$(goals): choose-base ;
choose-base:
	@if $(tools)/source.sh; then base=$(version); else base=$(frozen); \
		echo "Going on with Linux $(frozen) (BASE=$(frozen)), in build/frozen-$(frozen)."; fi; \
	$(MAKE) --no-print-directory $(goals) BASE=$$base

else

.PHONY: help deps tree kernel run shell check test test-kvm test-long nightly mutants stress-mttcg figures deb hackbench hunk patches branch bisect fresh clean

help:
	@sed -n 's/^#   //p' $(CURDIR)/Makefile
	@printf '%s\n' \
	    'make kernel  [IMPL=run|new|classic] [CONFIG_EXTRA=FILE]  build/IMPL: the small kernel' \
	    '         of make run, the one of the published figures, and that without the series' \
	    'make run     ARCH=arm64  the same on an emulated machine of that, by a cross compiler' \
	    'make shell   [IMPL=...]  an interactive machine with tracefs mounted' \
	    'make check   host tests and one short boot: a minute or two' \
	    'make test-long  what takes longer than make test may' \
	    'make nightly    the same of what is committed; goes on where it was stopped' \
	    'make mutants [SUITE=] [SEED=] [COUNT=]  one-line faults that host suites have to find' \
	    'make test-kvm   what only a real processor shows, where KVM runs guests' \
	    'make stress-mttcg  switch everything on two parallel vCPU threads' \
	    'make figures [TABLES=...]  what tracing costs, classic beside new: build/figures' \
	    'make figures ARCH=arm64 [TABLES=...]  the same on an emulated arm64 machine' \
	    'make figures HERE=1|FILE [TABLES=...]  the same by the clock of this machine, or of where' \
	    '         FILE is from' \
	    'make deb [IMPL=new|classic] [CONFIG=FILE]  packages of a kernel with Debian'"'"'s configuration' \
	    '         for clouds, or that of FILE such as /boot/config-..., to install: build/deb' \
	    'make hackbench  [IMPL=new|classic|classic-edited]  what tracing built in and off costs;' \
	    '         an hour, see series/tools/hackbench-table.sh for less' \
	    'make patches build/patches/0000-cover-letter.patch ... for git am; with TOPIC=NAME one' \
	    '         part of the series that is sent by itself: build/patches/NAME' \
	    'make branch  LINUX=DIR [TOPIC=NAME] [BASE_COMMIT=...] [FORCE=1]  branches of the topics' \
	    '         in a checkout of Linux, for b4; build/branch: series.mbox and a bundle' \
	    'make bisect  compile the tree after each of these mails, boot it after each topic;' \
	    '         goes on where it was stopped. TOPIC=NAME MAILS=N|N-M TARGETS="FOLDER/ FILE.o"' \
	    '         BISECT=FOLDER, outside of any checkout: /var/tmp/ftrace-bisect' \
	    'make hunk    FILE=PATH [PATCH=FOLDER]  its hunk file again, from build/tree/PATH' \
	    'make fresh   [SUITE=bookworm|trixie] [PART=run|test]  make run or test in a bare Debian' \
	    'make tree    build/base + the series = build/tree' \
	    'make clean   remove build/' \
	    'LINUX_SRC=DIR|TARBALL  another $(version).y source than the Debian package' \
	    'DEBIAN_MIRROR=URL  fetch that package from there, not from the mirror of apt' \
	    'DEBIAN_ARCHIVE=URL  a dated archive, for a package that has left the mirrors' \
	    'BASE=VERSION  all this on an earlier base of series/base: build/frozen-VERSION' \
	    'JOBS SMP MEM ACCEL QEMU_EXTRA  processors to build with; the machine'

deps:
	@$(tools)/deps.sh run$(of_arch)

tree: deps
	@$(tools)/base.sh
	@flock $(BUILD)/tree.lock $(tools)/tree.py prepare

# What is built as build/IMPL.
kernel-run = -n run $(BUILD)/tree series/config/run.config
arm64 := series/config/arm64.config
arm64-figures := series/config/arm64-figures.config
kernel-arm64 = -n arm64 $(BUILD)/tree $(arm64) series/config/arm64-new.config
kernel-new-arm64 = -n new-arm64 $(BUILD)/tree $(arm64) $(arm64-figures) series/config/arm64-new.config
kernel-classic-arm64 = -n classic-arm64 $(BUILD)/base $(arm64) $(arm64-figures)
# Those of TABLES=bpf, which have types.
bpf := series/config/bpf.config
arm64-bpf := $(arm64) $(arm64-figures) series/config/arm64-bpf.config $(bpf)
kernel-new-bpf = new-bpf $(BUILD)/tree $(config) $(modules) $(bpf)
kernel-classic-bpf = classic-bpf $(BUILD)/base $(config) $(bpf)
kernel-new-bpf-arm64 = -n new-bpf-arm64 $(BUILD)/tree $(arm64-bpf) series/config/arm64-new.config
kernel-classic-bpf-arm64 = -n classic-bpf-arm64 $(BUILD)/base $(arm64-bpf)
# Those of TABLES=calls-size: no CALL_OPS, as with kCFI.
size := series/config/arm64-size.config
kernel-new-size-arm64 = -n new-size-arm64 $(BUILD)/tree $(arm64) $(arm64-figures) series/config/arm64-new.config $(size)
kernel-classic-size-arm64 = -n classic-size-arm64 $(BUILD)/base $(arm64) $(arm64-figures) $(size)
# That of TABLES=discover.
kernel-new-discover = new-discover $(BUILD)/tree $(config) $(modules) series/config/discover.config
figures_kernels = classic new $(if $(filter bpf,$(TABLES)),classic-bpf new-bpf) \
	$(if $(filter calls-size,$(TABLES)),classic-size new-size) $(if $(filter discover,$(TABLES)),new-discover)
# Its root file system.
rootfs = $(tools)/$(if $(of_arch),rootfs-foreign.sh arm64,rootfs.sh)
kernel-new = new $(BUILD)/tree $(config) $(modules)
kernel-classic = classic $(BUILD)/base $(config)
impls := run new classic
impls-arm64 := arm64 new-arm64 classic-arm64
kernel: tree
	@$(tools)/kernel.sh $(or $(if $(filter $(impls$(of_arch)),$(IMPL)),$(kernel-$(IMPL))),$(error IMPL is one of $(impls) or, with ARCH=arm64, one of $(impls-arm64))) $(CONFIG_EXTRA)

run: kernel
	@$(rootfs)
	@$(tools)/machine.py $(BUILD)/$(IMPL) demo --timeout 300

shell: kernel
	@$(rootfs)
	@$(tools)/machine.py $(BUILD)/$(IMPL) shell

check test test-kvm test-long nightly: tree
	@$(tools)/deps.sh $(@:nightly=test-long)
	@$(tools)/test.py $@

mutants: tree
	@$(tools)/deps.sh test
	@$(tools)/mutants.py $(if $(SUITE),--suite $(SUITE)) $(if $(SEED),--seed $(SEED)) \
		$(if $(COUNT),--count $(COUNT))

stress-mttcg: IMPL = new
stress-mttcg: kernel
	@$(tools)/rootfs.sh
	@sh $(tools)/stress-mttcg.sh $(BUILD)/$(IMPL)

ifneq ($(HERE),)
figures:
	@$(tools)/figures.py --here "$(HERE)" $(TABLES)
else
figures: tree
	@$(tools)/figures.py --check $(TABLES)
	@$(tools)/deps.sh figures$(of_arch)
	@$(foreach k,$(figures_kernels),$(tools)/kernel.sh $(kernel-$k$(of_arch)) $(CONFIG_EXTRA) &&) :
	@$(rootfs)
	@$(tools)/figures.py $(TABLES)
endif

deb: IMPL = new
deb: tree
	@$(tools)/deps.sh deb
	@$(tools)/deb.sh $(IMPL) $(CONFIG)

# What hackbench compares with a kernel without tracing: build/NAME, of which tree.
traced-new := traced tree
traced-classic := classic-traced base
traced-classic-edited := classic-edited-traced base-tracepoint-callers
hackbench: IMPL = new
hackbench: traced = $(firstword $(traced-$(IMPL)))
hackbench: tree
	$(if $(traced-$(IMPL)),,$(error IMPL is one of new, classic, classic-edited))
	@$(if $(filter classic-edited,$(IMPL)),$(tools)/tree.py edited tracepoint-callers)
	@$(tools)/kernel.sh -n notrace $(BUILD)/tree $(config) series/config/notrace.config
	@$(tools)/kernel.sh -n $(traced) $(BUILD)/$(lastword $(traced-$(IMPL))) \
		$(config) series/config/hackbench.config \
		$(if $(filter new,$(IMPL)),series/config/entry-sites.config)
	@$(tools)/rootfs.sh
	@sh $(tools)/hackbench-table.sh $(BUILD)/notrace $(BUILD)/$(traced)

patches: tree
	@$(tools)/patches.py $(if $(filter-out undefined,$(origin TOPIC)),"$(TOPIC)")

branch: tree
	@$(tools)/branch.py "$(or $(LINUX),$(error LINUX is a git checkout of Linux $(version).y))" \
		$(if $(filter-out undefined,$(origin TOPIC)),"$(TOPIC)")

bisect: tree
	@$(tools)/deps.sh test
	@$(tools)/bisect_mails.py $(if $(filter-out undefined,$(origin TOPIC)),topic "$(TOPIC)") $(MAILS)

# Not after "tree", which would undo the edit.
hunk:
	@$(tools)/tree.py hunk $(or $(FILE),$(error FILE is a path in build/tree)) $(PATCH)

fresh:
	@$(tools)/deps.sh fresh
	@$(tools)/fresh.sh $(or $(SUITE),bookworm) $(PART)

clean:
	rm -rf $(BUILD)

endif
