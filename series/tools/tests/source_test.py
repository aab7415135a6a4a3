# SPDX-License-Identifier: GPL-2.0
"""Where the base's source comes from, what is refused, and how an earlier base is built.

A mirror of small packages, an apt that knows another one, and a checkout with
the tools and the Makefile under test.
"""
import hashlib
import io
import os
import shutil
import subprocess
import tarfile

import pytest

import tree
from files import text, write
from small import git, write_script

TOOLS = ("lib.sh", "base.sh", "deps.sh", "source.sh", "frozen.sh")
PACKAGE = "linux-source-9.9"
CONFIG = "linux-config-9.9"
BASE = f"package {PACKAGE}\nconfig {CONFIG}\nversion 9.9\nsuite near\nsuite far\n"
ARCH = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
MACHINES = ("/etc/apt", "/var/lib/apt", "/var/cache/apt")

# Installs nothing on the machine that the test runs on.
APT_GET = """#!/bin/sh
case " $* " in
*" install "*) cp "$WORK/to-install.tar.xz" "$USR_SRC/{PACKAGE}.tar.xz" ;;
*) exec /usr/bin/apt-get "$@" ;;
esac
"""
# What a checkout on an earlier base makes of its goals.
EARLIER = "run test patches:\n\t@echo earlier $@ in $(CURDIR), BUILD=$(BUILD) JOBS=$(JOBS) LINUX_SRC=$(LINUX_SRC) " \
    "CONFIG=$(CONFIG) LINUX=$(LINUX) HERE=$(HERE)\n"


def tarball(path, release, how="w:xz"):
    version, patchlevel, sublevel = release.split(".")
    makefile = f"VERSION = {version}\nPATCHLEVEL = {patchlevel}\nSUBLEVEL = {sublevel}\n".encode()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with tarfile.open(path, how) as tar:
        info = tarfile.TarInfo("linux-source/Makefile")
        info.size = len(makefile)
        tar.addfile(info, io.BytesIO(makefile))


def sha256(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def publish(archive, suite, *versions, sum_of=sha256, package=PACKAGE):
    """Packages of these versions into a suite of the archive; returns the name of the last one's file."""
    index, name = "", ""
    for version in versions:
        name = f"{package}_{version}_all.deb"
        root, deb = os.path.join(archive, "root"), os.path.join(archive, "pool", name)
        os.makedirs(os.path.dirname(deb), exist_ok=True)
        control = (f"Package: {package}\nVersion: {version}\nArchitecture: all\nMaintainer: test <test@localhost>\n"
                   "Description: a source\n")
        write(f"{root}/DEBIAN/control", control)
        if package == PACKAGE:
            tarball(f"{root}/usr/src/{PACKAGE}.tar.xz", version.split("-", maxsplit=1)[0].replace("~rc", "."))
        else:
            write(f"{root}/usr/src/{package}/config.amd64_none_cloud-amd64.xz", f"of {version}")
        subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "-b", root, deb], check=True, capture_output=True)
        index += f"{control}Filename: pool/{name}\nSize: {os.path.getsize(deb)}\nSHA256: {sum_of(deb)}\n\n"
        shutil.rmtree(root)
    path = f"main/binary-{ARCH}/Packages"
    write(f"{archive}/dists/{suite}/{path}", index)
    data = index.encode()
    write(f"{archive}/dists/{suite}/Release", f"Suite: {suite}\nArchitectures: {ARCH} all\nComponents: main\nSHA256:\n"
          f" {hashlib.sha256(data).hexdigest()} {len(data)} {path}\n")
    return name


def below(*folders):
    """What lies there, to be compared."""
    return {p: (os.lstat(p).st_mtime_ns, os.lstat(p).st_size)
            for folder in folders for d, dirs, names in os.walk(folder) for p in
            [d, *(os.path.join(d, n) for n in names)] if os.path.lexists(p)}


class Checkout:
    def __init__(self, work):
        self.work, self.top, self.mirror = work, os.path.join(work, "top"), os.path.join(work, "mirror")
        self.build, self.etc = os.path.join(self.top, "build"), os.path.join(work, "apt/etc")
        for tool in TOOLS:
            os.makedirs(f"{self.top}/series/tools", exist_ok=True)
            shutil.copy(f"{tree.TOP}/series/tools/{tool}", f"{self.top}/series/tools/{tool}")
        shutil.copy(os.path.join(tree.TOP, "Makefile"), self.top)
        write(f"{self.top}/series/base", BASE)
        self.tool("bin/apt-get", APT_GET.replace("{PACKAGE}", PACKAGE))
        write(f"{self.etc}/sources.list", "")
        for folder in ("state/lists/partial", "cache/archives/partial", "etc/sources.list.d"):
            os.makedirs(f"{work}/apt/{folder}")
        write(f"{work}/apt/status", "")
        write(f"{work}/apt/conf", f'Dir::Etc "{self.etc}";\nDir::Etc::parts "/dev/null";\n'
              f'Dir::State "{work}/apt/state";\nDir::State::status "{work}/apt/status";\n'
              f'Dir::Cache "{work}/apt/cache";\nAPT::Sandbox::User "";\n'
              'Acquire::AllowInsecureRepositories "true";\n')
        os.makedirs(f"{work}/src")
        self.env = {"PATH": f"{work}/bin:{os.environ['PATH']}", "HOME": work, "LC_ALL": "C", "NO_PROGRESS": "1",
                    "WORK": work, "USR_SRC": f"{work}/src", "APT_CONFIG": f"{work}/apt/conf",
                    "DEBIAN_MIRROR": f"[trusted=yes] file:{self.mirror}"}

    def tool(self, path, script):
        write_script(f"{self.work}/{path}", script)

    def run(self, *words, **env):
        """(status, what was printed); an environment's None is not set."""
        env = {k: v for k, v in {**self.env, **env}.items() if v is not None}
        done = subprocess.run(words, cwd=self.top, env=env, stdin=subprocess.DEVNULL, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def base(self, **env):
        return self.run("series/tools/base.sh", **env)

    def add(self, line):
        write(f"{self.top}/series/base", text(f"{self.top}/series/base") + line + "\n")

    def sublevel(self):
        """Which release lies in build/base; each source here has its own."""
        return text(f"{self.build}/base/Makefile").split()[-1]

    def laid_down(self, sublevel, **env):
        status, said = self.base(**env)
        assert status == 0, said
        assert self.sublevel() == sublevel
        return said

    def laid(self):
        """What it has of the base, to be compared."""
        key = f"{self.build}/base.key"
        folders = below(f"{self.build}/base", f"{self.build}/source")
        return folders, os.path.exists(key) and text(key)

    def refused(self, *reasons, **env):
        """Nothing in build/base and build/source is touched, and each reason is said."""
        before = self.laid()
        status, said = self.base(**env)
        assert status == 1, said
        for reason in reasons:
            assert reason in said
        assert self.laid() == before
        assert not os.path.exists(f"{self.build}/base.new")

    def machine_knows(self, version):
        """The machine's apt has the package, from a mirror of its own."""
        publish(f"{self.work}/known", "stable", version)
        write(f"{self.etc}/sources.list", f"deb [trusted=yes] file:{self.work}/known stable main\n")
        subprocess.run(["/usr/bin/apt-get", "update"], env=self.env, check=True, capture_output=True)
        tarball(f"{self.work}/to-install.tar.xz", version.split("-", maxsplit=1)[0])

    def is_earlier_on(self, version):
        """A commit that was on @version, and one on top of it that is on 9.9."""
        now = text(f"{self.top}/Makefile")
        write(f"{self.top}/Makefile", EARLIER)
        write(f"{self.top}/.gitignore", "/build/\n")
        git(self.top, "init", "-q")
        git(self.top, "add", "-A")
        git(self.top, "commit", "-qm", "earlier")
        self.add(f"frozen {version} {git(self.top, 'rev-parse', 'HEAD')}")
        write(f"{self.top}/Makefile", now)
        for tool in ("deps.sh", "tree.py", "kernel.sh", "rootfs.sh", "machine.py", "patches.py"):
            self.tool(f"top/series/tools/{tool}", f"#!/bin/sh\necho this one: {tool} BASE=${{BASE-}}\n")
        git(self.top, "add", "-A")
        git(self.top, "commit", "-qm", "now")


@pytest.fixture(name="here")
def a_checkout(tmp_path):
    return Checkout(str(tmp_path))


def test_the_source_that_is_named_comes_first(here):
    tarball(f"{here.work}/src/{PACKAGE}.tar.xz", "9.9.1")
    tarball(f"{here.work}/mine.tar", "9.9.7", "w")
    here.laid_down("7", LINUX_SRC=f"{here.work}/mine.tar")
    write(f"{here.work}/dir/Makefile", "VERSION = 9\nPATCHLEVEL = 9\nSUBLEVEL = 8\n")
    here.laid_down("8", LINUX_SRC=f"{here.work}/dir")


def test_a_change_below_a_folder_that_is_named_is_seen(here):
    src = f"{here.work}/dir"
    write(f"{src}/Makefile", "VERSION = 9\nPATCHLEVEL = 9\nSUBLEVEL = 8\n")
    for change in ("kernel/a.c", "one"), ("kernel/a.c", "three"), ("kernel/b.c", ""), (".git/config", None):
        if change[1] is None:
            git(src, "init", "-q")
            git(src, "commit", "-q", "--allow-empty", "-m", "the base")
        else:
            write(f"{src}/{change[0]}", change[1])
        assert "unpacking" in here.laid_down("8", LINUX_SRC=src)
        assert text(f"{here.build}/base/{change[0]}") == text(f"{src}/{change[0]}")
        assert here.laid_down("8", LINUX_SRC=src) == ""
    write(f"{src}/.git/index", "of git alone")
    assert here.laid_down("8", LINUX_SRC=src) == ""


def test_another_compiler_builds_a_kernel_again(here):
    for path in "series/tools/kernel.sh", "series/tools/hugepages.c", "series/config/objects":
        write(f"{here.top}/{path}", text(f"{tree.TOP}/{path}"))
    here.tool("bin/ccache", '#!/bin/sh\nexec "$@"\n')
    here.tool("bin/gcc", '#!/bin/sh\n[ "$1" = --version ] || exec /usr/bin/gcc "$@"\ncat "$WORK/version"\n')
    here.tool("bin/make", '#!/bin/sh\nfor w; do case $w in O=*) out=${w#O=} ;; esac; done\n'
              'mkdir -p "$out/arch/x86/boot" "$out/modules/lib/modules" && : >"$out/arch/x86/boot/bzImage"\n')
    here.tool("top/series/tools/tree.py", "#!/bin/sh\n")
    write(f"{here.work}/small.config", "CONFIG_SMP=y\n")
    for version, built in ("gcc 1\nCopyright 1\n", True), ("gcc 1\nCopyright 2\n", False), ("gcc 2\n", True):
        write(f"{here.work}/version", version)
        status, said = here.run("sh", "series/tools/kernel.sh", "small", here.work, f"{here.work}/small.config")
        assert status == 0 and ("configuring" in said, "up to date" in said) == (built, not built), said


def test_the_installed_package_comes_before_what_was_fetched(here):
    publish(here.mirror, "near", "9.9.2-1")
    here.laid_down("2")
    tarball(f"{here.work}/src/{PACKAGE}.tar.xz", "9.9.1")
    here.laid_down("1")


def test_a_package_that_apt_knows_is_installed(here):
    here.machine_knows("9.9.3-1")
    publish(here.mirror, "near", "9.9.2-1")
    here.tool("bin/id", "#!/bin/sh\necho 0\n")
    here.laid_down("3")
    assert not os.path.exists(f"{here.build}/source")


def test_a_package_is_fetched_by_who_cannot_install_it(here):
    here.machine_knows("9.9.3-1")
    publish(here.mirror, "near", "9.9.2-1")
    here.tool("bin/id", "#!/bin/sh\necho 1000\n")
    here.tool("bin/sudo", "#!/bin/sh\nexit 1\n")
    assert "apt-get install" not in here.laid_down("2")
    assert os.listdir(f"{here.build}/source") == [f"{PACKAGE}.tar.xz"]


def test_what_was_fetched_is_not_fetched_again(here):
    publish(here.mirror, "near", "9.9.2-1")
    assert "fetching" in here.laid_down("2")
    shutil.rmtree(here.mirror)
    assert here.laid_down("2") == ""


def test_the_suites_are_asked_in_their_order(here):
    publish(here.mirror, "near", "9.9.2-1")
    publish(here.mirror, "far", "9.9.5-1")
    assert f"fetching {PACKAGE} 9.9.2-1 from near" in here.laid_down("2")
    shutil.rmtree(here.build)
    publish(here.mirror, "near")
    assert f"fetching {PACKAGE} 9.9.5-1 from far" in here.laid_down("5")


def test_the_mirror_is_the_one_that_the_machines_apt_has(here):
    publish(here.mirror, "near", "9.9.2-1")
    other = f"file:{here.work}/other"
    write(f"{here.etc}/sources.list", f"deb {other}/a stable-security main\ndeb {other}/b stable contrib\n")
    write(f"{here.etc}/sources.list.d/a.sources",
          f"Types: deb\nURIs: file:{here.mirror}\nSuites: stable\nComponents: main\n")
    # It is not signed, so nothing is taken from it.
    here.refused(f"near: E: The repository 'file:{here.mirror} near Release' is not signed", DEBIAN_MIRROR=None)
    log = text(f"{here.build}/log/source.log")
    assert f"file:{here.mirror} near main" in log and other not in log
    write(f"{here.etc}/sources.list.d/a.sources", "")
    here.refused("the machine's apt has no mirror of Debian", DEBIAN_MIRROR=None)


def test_the_machines_proxy_is_used(here):
    write(f"{here.work}/apt/conf", text(f"{here.work}/apt/conf") + 'Acquire::http::Proxy "http://127.0.0.1:9";\n')
    here.refused("near: E: ", "127.0.0.1:9", DEBIAN_MIRROR="[trusted=yes] http://mirror.invalid")


@pytest.mark.parametrize("version", ["9.9~rc4-1", "9.10.2-1", "9.8.9-1"])
def test_a_package_of_another_version_is_passed_over(here, version):
    publish(here.mirror, "near", version)
    here.refused(f"near: has {PACKAGE} {version}, which is no Linux 9.9.y", "far: E: ")
    publish(here.mirror, "far", "9.9.5-1")
    here.laid_down("5")


def test_a_package_with_another_sha256_is_passed_over(here):
    name = publish(here.mirror, "near", "9.9.2-1")
    here.add(f"sha256 {'0' * 64} {name}")
    here.refused(f"near: {name} has sha256 {sha256(f'{here.mirror}/pool/{name}')}, series/base says {'0' * 64}")
    publish(here.mirror, "far", "9.9.5-1")
    here.laid_down("5")


def test_a_package_that_is_not_the_mirrors_own_is_passed_over(here):
    publish(here.mirror, "near", "9.9.2-1", sum_of=lambda deb: "0" * 64)
    here.refused(f"near: {PACKAGE} 9.9.2-1 cannot be downloaded")


def test_the_configuration_comes_from_where_the_source_does(here):
    path = f"{CONFIG}/config.amd64_none_cloud-amd64.xz"
    publish(here.mirror, "near", "9.8.1-1", package=CONFIG)
    status, said = here.run("series/tools/source.sh", "config")
    assert status == 1 and f"{CONFIG} cannot be had here" in said and "CONFIG=FILE names another" in said
    assert f"near: has {CONFIG} 9.8.1-1, which is no Linux 9.9.y" in said
    name = publish(here.mirror, "far", "9.9.5-1", package=CONFIG)
    here.add(f"sha256 {'0' * 64} {name}")
    status, said = here.run("series/tools/source.sh", "config")
    assert status == 1 and f"far: {name} has sha256 " in said and not os.path.exists(f"{here.build}/source")
    write(f"{here.top}/series/base", BASE)
    status, said = here.run("series/tools/source.sh", "config")
    assert (status, text(f"{here.build}/source/{path}")) == (0, "of 9.9.5-1"), said
    assert here.run("series/tools/source.sh", "config") == (0, "")
    # The package comes before what was fetched.
    write(f"{here.work}/src/{path}", "installed")
    shutil.rmtree(f"{here.build}/source")
    assert here.run("series/tools/source.sh", "config") == (0, "")


def test_the_dated_archive_is_the_last(here):
    archive = os.path.join(here.work, "archive")
    url = f"[trusted=yes] file:{archive}"
    name = publish(f"{archive}/20260102T030405Z", "old", "9.9.6-1")
    here.add("snapshot 20260102T030405Z old")
    here.refused("old of 20260102T030405Z: DEBIAN_ARCHIVE=URL, a dated archive, is not set")
    here.refused(f"old: series/base has no sha256 of {name}", DEBIAN_ARCHIVE=url)
    here.add(f"sha256 {sha256(f'{archive}/20260102T030405Z/pool/{name}')} {name}")
    here.laid_down("6", DEBIAN_ARCHIVE=url)
    shutil.rmtree(here.build)
    publish(here.mirror, "far", "9.9.5-1")
    here.laid_down("5", DEBIAN_ARCHIVE=url)


@pytest.mark.parametrize("kind", ["directory", "tarball", "broken", "missing"])
def test_a_source_that_is_refused_changes_nothing(here, kind):
    tarball(f"{here.work}/src/{PACKAGE}.tar.xz", "9.9.1")
    here.laid_down("1")
    src = f"{here.work}/a"
    if kind == "directory":
        write(f"{src}/Makefile", "VERSION = 9\nPATCHLEVEL = 8\nSUBLEVEL = 8\n")
    elif kind == "tarball":
        tarball(src, "9.8.8")
    elif kind == "broken":
        write(src, "no tarball\n")
    here.refused({"directory": f"{src} is Linux 9.8, and the series is for 9.9.y",
                  "tarball": f"{src} is Linux 9.8, and the series is for 9.9.y",
                  "broken": f"{src} cannot be unpacked", "missing": f"no kernel source at {src}"}[kind],
                 LINUX_SRC=src)


def test_the_machines_apt_is_left_as_it_is(here):
    here.machine_knows("9.9.3-1")
    here.tool("bin/id", "#!/bin/sh\necho 1000\n")
    here.tool("bin/sudo", "#!/bin/sh\nexit 1\n")
    publish(here.mirror, "near")
    publish(here.mirror, "far", "9.9.5-1")
    # The lists' cache is made by whoever asks first.
    subprocess.run(["apt-cache", "show", PACKAGE], env=here.env, check=True, capture_output=True)
    before = below(f"{here.work}/apt", *MACHINES)
    here.laid_down("5")
    assert below(f"{here.work}/apt", *MACHINES) == before
    assert not os.path.exists(f"{here.build}/apt")


def test_another_base_is_built_from_the_history(here):
    here.is_earlier_on("6.12")
    where = f"{here.build}/frozen-6.12"
    want = f"earlier patches in {where}, BUILD={where}/build JOBS=3 LINUX_SRC={here.top}/a CONFIG={here.top}/b LINUX=/c HERE=1\n"
    asked = ["BASE=6.12", "JOBS=3", "LINUX_SRC=a", "CONFIG=b", "LINUX=/c", "HERE=1"]
    for words in (asked, []):
        status, said = here.run("make", *words, "patches", **({} if words else {
            **dict(word.split("=") for word in asked), "BUILD": here.build}))
        assert status == 0 and said.endswith(want), said
    here.run("make", "clean")
    assert not os.path.exists(where)
    assert here.run("make", *asked, "HERE=d", "patches")[1].endswith(want.replace("HERE=1", f"HERE={here.top}/d"))


def test_another_commit_of_a_base_is_checked_out(here):
    here.is_earlier_on("6.12")
    where = f"{here.build}/frozen-6.12"
    here.run("make", "BASE=6.12", "patches")
    write(f"{where}/Makefile", "patches:\n\t@echo another commit\n")
    git(where, "commit", "-qam", "another")
    write(f"{here.top}/series/base", BASE + f"frozen 6.12 {git(where, 'rev-parse', 'HEAD')}\n")
    git(where, "checkout", "-q", "HEAD~")
    status, said = here.run("make", "BASE=6.12", "patches")
    assert status == 0 and said.endswith("another commit\n"), said


def test_the_base_of_the_checkout_is_the_checkout(here):
    here.is_earlier_on("6.12")
    tarball(f"{here.work}/src/{PACKAGE}.tar.xz", "9.9.1")
    for words in (["BASE=9.9"], []):
        status, said = here.run("make", *words, "patches")
        assert status == 0 and said.endswith("this one: patches.py BASE=\n"), said


def test_a_base_that_is_not_there_is_refused(here):
    here.is_earlier_on("6.12")
    status, said = here.run("make", "BASE=6.11", "patches")
    assert status == 2 and "series/base has no base 6.11: BASE is one of 9.9 6.12" in said
    write(f"{here.top}/series/base", BASE + f"frozen 6.12 {'1' * 40}\n")
    status, said = here.run("make", "BASE=6.12", "patches")
    assert status == 2 and f"this clone has no commit {'1' * 40}" in said


@pytest.mark.parametrize("goal", ["run", "test"])
def test_without_a_source_the_two_commands_go_on_with_an_earlier_base(here, goal):
    here.is_earlier_on("6.12")
    status, said = here.run("make", goal)
    first, *others = said.splitlines()
    assert status == 0 and "Linux 9.9 cannot be had here" in first, said
    assert f"earlier {goal} in {here.build}/frozen-6.12," in others[-1]
    # Who asks for a base gets that or nothing; so do the other goals.
    for words in (["BASE=9.9", goal], ["patches"]):
        status, said = here.run("make", *words)
        assert status == 2 and "earlier" not in said


def test_with_a_source_the_two_commands_stay_here(here):
    here.is_earlier_on("6.12")
    publish(here.mirror, "far", "9.9.5-1")
    status, said = here.run("make", "run")
    assert status == 0 and said.endswith("this one: machine.py BASE=\n"), said
    assert here.sublevel() == "5"
