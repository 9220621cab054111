"""(c), (d), (g): exec to READY=1, what an idle daemon keeps, and how large the binaries are."""

import os
import threading
import time
from subprocess import DEVNULL, Popen

from . import peers
from .lab import ENVIRONMENT, Ratio, median


def measure(lab):
    programs = {
        "C sd_notify": lab.path("notify"),
        "C sd-event": lab.path("sd-event"),
        "bare Swift": lab.path("bare-swift"),
        "lifecycled, ten hooks": lab.ten_hooks(),
        "embedded example": f"{lab.daemon} plain",
        "lifecycled run, C program": f"{lab.lifecycled} run --ready=notify -- {lab.path('notify')}",
        "Go and go-systemd": peers.go(lab),
        "Python asyncio and sdnotify": peers.python(lab),
    }
    for name in ("tini", "dumb-init"):
        path = peers.command(lab, name)
        programs[f"{name}, C program"] = path and f"{path} -- {lab.path('notify')}"
    path = peers.command(lab, "systemd-notify")
    programs["systemd-notify --ready"] = path and f"{path} --ready"
    programs = {name: words for name, words in programs.items() if words}
    lines = lab.lines_of_numbers(lab.path("launch"), lab.rounds(80), *programs.values())
    times = dict(zip(programs, lines[0::2]))
    idle = dict(zip(programs, lines[1::2]))
    bare = times["bare Swift"]
    for name, its in times.items():
        limit = 1.65 if name == "lifecycled, ten hooks" else None
        lab.add("c", f"exec → READY=1: {name}", f"{median(its):.2f} ms", Ratio(its, bare), limit=limit)
    keep(lab, idle)
    sizes(lab)


def keep(lab, idle):
    floor = idle["C sd-event"]
    for name, (resident, dirty, threads, descriptors) in idle.items():
        if not resident:
            continue
        ours = name == "lifecycled, ten hooks"
        figure = f"{resident / 1024:.1f} MB, {threads:.0f} threads, {descriptors:.0f} descriptors"
        lab.add(
            "d", f"RSS when idle: {name}", figure, resident / floor[0],
            limit=13 if ours else None, compared=resident / 1024 if ours else None)  # fmt: skip
        lab.add(
            "d", f"private dirty: {name}", f"{dirty / 1024:.2f} MB", dirty / floor[1],
            limit=1.6 if ours else None, compared=dirty / 1024 if ours else None)  # fmt: skip


def sizes(lab):
    bare = os.path.getsize(lab.path("bare-swift"))
    for name, path in {"bare Swift": lab.path("bare-swift"), "lifecycled": lab.lifecycled, "embedded example": lab.daemon}.items():
        size = os.path.getsize(path)
        lab.add("g", f"size of the binary: {name}", f"{size / 1e6:.1f} MB", size / bare)


class IdleWatch:
    """(d) Counts how often idle daemons wake up in a minute, while the other measures go on."""

    SECONDS, SETTLE = 60, 6

    def __init__(self, lab):
        self.lab, self.seconds = lab, 5 if lab.quick else self.SECONDS
        programs = {"C sd-event": [lab.path("sd-event")], "lifecycled, ten hooks": lab.ten_hooks().split()}
        programs["embedded example"] = [lab.daemon, "plain"]
        quiet = {"env": ENVIRONMENT, "stdin": DEVNULL, "stdout": DEVNULL, "stderr": DEVNULL}
        self.running = {name: Popen(words, **quiet) for name, words in programs.items()}
        self.counts = {}
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        time.sleep(self.SETTLE)
        before = {name: wakeups(process.pid) for name, process in self.running.items()}
        time.sleep(self.seconds)
        self.counts = {name: wakeups(process.pid) - before[name] for name, process in self.running.items()}

    def finish(self):
        self.thread.join()
        for process in self.running.values():
            process.terminate()
            process.wait()
        for name, count in self.counts.items():
            limit = 2 if name == "lifecycled, ten hooks" and not self.lab.quick else None
            self.lab.add("d", f"wake-ups in {self.seconds} s: {name}", str(count), limit=limit, compared=count)


def wakeups(pid):
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status", encoding="ascii", errors="replace") as status:
            total += sum(int(line.split()[1]) for line in status if line.startswith("voluntary_ctxt_switches"))
    return total
