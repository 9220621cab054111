"""What all measures need: a folder, the programs, rows of the table, and medians with their spread."""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
BUILD = os.path.join(HERE, ".build")
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SWIFT_BACKTRACE": "enable=no"}


def say(text):
    print(text, file=sys.stderr, flush=True)


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def median(values):
    return quantile(values, 0.5)


class Ratio:
    """Ours beside the floor, of rounds that were measured in turn.

    The rounds are cut into ten blocks; the spread is that between the quartiles of the blocks' own ratios.
    """

    def __init__(self, ours, floor, share=0.5):
        self.value = quantile(ours, share) / quantile(floor, share)
        size = max(1, len(ours) // 10)
        blocks = [
            quantile(ours[i : i + size], share) / quantile(floor[i : i + size], share)
            for i in range(0, len(ours) - size + 1, size)
        ]
        self.low, self.high = quantile(blocks, 0.25), quantile(blocks, 0.75)

    def __str__(self):
        return f"{self.value:.2f}" + (f" ({self.low:.2f}–{self.high:.2f})" if self.low < self.high else "")


class Row:
    """One line of the table; with a limit if DESIGN has one."""

    def __init__(self, group, what, figure, ratio=None, limit=None, compared=None):
        self.group, self.what, self.figure, self.ratio, self.limit = group, what, figure, ratio, limit
        value = compared if compared is not None else getattr(ratio, "value", ratio)
        self.holds = None if limit is None else value <= limit

    def cells(self):
        ratio = f"{self.ratio:.2f}" if isinstance(self.ratio, float) else str(self.ratio or "")
        limit = "" if self.limit is None else f"≤ {self.limit:.3g}"
        return [self.group, self.what, self.figure, ratio, limit, {None: "", True: "yes", False: "NO"}[self.holds]]


class Lab:
    """Where the programs are, and a folder of this run's own."""

    def __init__(self, lifecycled, quick=False):
        self.folder = tempfile.mkdtemp(prefix="bench-")
        os.chmod(self.folder, 0o755)  # lifecycled reads no unit in a folder that others may write
        self.quick = quick
        self.lifecycled = os.path.join(self.folder, "lifecycled")
        shutil.copy(lifecycled, self.lifecycled)
        self.bench = os.path.join(BUILD, "release", "bench")
        # Stripped, as what is installed is.
        self.daemon = os.path.join(self.folder, "daemon")
        subprocess.run(["strip", "-o", self.daemon, os.path.join(BUILD, "release", "daemon")], check=True)
        self.words, self.rows, self.skipped, self.series = {}, [], [], {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def rounds(self, count):
        return max(3, count // 8) if self.quick else count

    def add(self, *arguments, **named):
        self.rows.append(Row(*arguments, **named))

    def skip(self, what, why):
        self.skipped.append(f"{what}: {why}")
        say(f"  left out: {what}: {why}")

    def build_floors(self):
        floors = os.path.join(HERE, "Floor")
        for name in sorted(os.listdir(floors)):
            if name.endswith(".c"):
                flags = ["-std=c17", "-O2", "-s", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE"]
                libraries = ["-static"] if name == "worker.c" else ["-lsystemd"]
                subprocess.run(["clang", *flags, "-o", self.path(name[:-2]), os.path.join(floors, name), *libraries], check=True)
        swiftc = [os.environ.get("SWIFTC", "swiftc"), "-O", "-static-stdlib", "-use-ld=lld"]
        link = ["-z", "pack-relative-relocs", "--gc-sections", "-s", "-L" + os.path.join(BUILD, "archives")]
        link = [word for flag in link for word in ("-Xlinker", flag)]
        subprocess.run([*swiftc, *link, "-o", self.path("bare-swift"), os.path.join(floors, "bare.swift")], check=True)
        subprocess.run(["sync"], check=True)  # the pages of a fresh file count as dirty until they are written back

    def path(self, name):
        return os.path.join(self.folder, name)

    def configuration(self, name, files):
        """A folder of unit files for lifecycled; returns its path."""
        folder = self.path(name)
        os.mkdir(folder, 0o755)
        for file, text in files.items():
            with open(os.path.join(folder, file), "w", encoding="utf-8") as unit:
                unit.write(text)
        return folder

    def ten_hooks(self):
        if "ten" not in self.words:
            files = {f"{n}-bench.hook": f"[Hook]\nOn=reload\nExec=/bin/true {n}\n" for n in range(10)}
            self.words["ten"] = f"{self.lifecycled} --config {self.configuration('ten', files)}"
        return self.words["ten"]

    def one_reload_hook(self):
        if "reload" not in self.words:
            files = {"10-bench.hook": "[Hook]\nOn=reload\nExec=/bin/true\n"}
            self.words["reload"] = f"{self.lifecycled} --config {self.configuration('reload', files)}"
        return self.words["reload"]

    def lines_of_numbers(self, *command):
        done = subprocess.run(
            [str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, stdin=subprocess.DEVNULL
        )
        return [[float(word) for word in line.split()] for line in done.stdout.splitlines()]
