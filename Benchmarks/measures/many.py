"""(f) Start, reload and stop of 1, 10, 100 and 1,000 hooks and programs, beside supervisord and s6."""

import os
import resource
import select
import shutil
import signal
import socket
import subprocess
import time

from . import peers
from .lab import ENVIRONMENT, Ratio, median

PATIENCE = 60


class Datagrams:
    """A socket that counts what comes: READY=1 of a daemon, or a byte of each program that runs."""

    def __init__(self, path):
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.counts = {}

    def take(self):
        try:
            while True:
                key = self.classify(self.socket.recv(4096, socket.MSG_DONTWAIT))
                self.counts[key] = self.counts.get(key, 0) + 1
        except BlockingIOError:
            pass

    @staticmethod
    def classify(bytes_):
        return "ready" if b"READY=1" in bytes_ else bytes_[:1].decode(errors="replace")

    def close(self):
        self.socket.close()
        os.unlink(self.path)


class Supervisor:
    """One supervisor with so many programs or hooks: each step returns the seconds that it took."""

    def __init__(self, lab, name, count):
        self.lab, self.count = lab, count
        self.folder = lab.path(f"{name}-{count}")
        os.mkdir(self.folder, 0o755)
        self.manager = Datagrams(os.path.join(self.folder, "n"))
        self.workers = Datagrams(os.path.join(self.folder, "w"))
        self.worker = f"{lab.path('worker')} {self.workers.path}"
        self.process = None
        self.prepare()

    def wait(self, done):
        deadline = time.monotonic() + PATIENCE
        while not done():
            left = deadline - time.monotonic()
            if left < 0 or (self.process.poll() is not None):
                raise RuntimeError(f"{self.words()[0]} with {self.count}: {self.manager.counts} {self.workers.counts}")
            for it in select.select([self.manager.socket, self.workers.socket], [], [], min(left, 0.5))[0]:
                (self.manager if it is self.manager.socket else self.workers).take()

    def start(self):
        self.manager.counts, self.workers.counts = {}, {}
        environment = {**ENVIRONMENT, "NOTIFY_SOCKET": self.manager.path}
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        began = time.monotonic()
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(self.words(), env=environment, cwd=self.folder, **quiet)
        self.wait(lambda: self.workers.counts.get("u", 0) >= self.count)
        return time.monotonic() - began

    def reload(self):
        began = time.monotonic()
        self.ask_to_reload()
        self.wait(lambda: self.workers.counts.get("r", 0) >= self.count)
        return time.monotonic() - began

    def stop(self):
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        while self.process.poll() is None:
            if time.monotonic() - began > PATIENCE:
                self.process.kill()
                raise RuntimeError(f"{self.words()[0]} with {self.count} does not stop")
            select.select([self.manager.socket], [], [], 0.002)
            self.manager.take()
        return time.monotonic() - began

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.manager.close()
        self.workers.close()
        shutil.rmtree(self.folder)


class Programs(Supervisor):
    """lifecycled with programs; it is ready, and has reloaded, when systemd is told so."""

    UNIT = "[Process]\nExec={worker}\nReloadSignal=HUP\n"
    SUFFIX = "process"

    def prepare(self):
        os.mkdir(os.path.join(self.folder, "etc"), 0o755)
        for number in range(self.count):
            with open(os.path.join(self.folder, "etc", f"{number:04}.{self.SUFFIX}"), "w", encoding="ascii") as unit:
                unit.write(self.UNIT.format(worker=self.worker))

    def words(self):
        return [self.lab.lifecycled, "--config", os.path.join(self.folder, "etc")]

    def start(self):
        began = time.monotonic()
        self.run_and_wait()
        return time.monotonic() - began

    def run_and_wait(self):
        super().start()
        self.wait(lambda: self.manager.counts.get("ready", 0) >= 1)

    def reload(self):
        began = time.monotonic()
        self.manager.counts = {}
        super().reload()
        self.wait(lambda: self.manager.counts.get("ready", 0) >= 1)
        return time.monotonic() - began

    def ask_to_reload(self):
        self.process.send_signal(signal.SIGHUP)


class Hooks(Programs):
    """lifecycled with hooks on start, reload and stop; nobody but the daemon says when they are done."""

    UNIT = "[Hook]\nOn=start reload stop\nExec=/bin/true\n"
    SUFFIX = "hook"

    def wait(self, done):
        super().wait(lambda: self.manager.counts.get("ready", 0) >= 1)


class Commands(Hooks):
    """One hook with so many commands, one after the other: nobody is told of anything between two of them."""

    UNIT = "[Hook]\nOn=start reload stop\n"

    def prepare(self):
        os.mkdir(os.path.join(self.folder, "etc"), 0o755)
        with open(os.path.join(self.folder, "etc", "commands.hook"), "w", encoding="ascii") as unit:
            unit.write(self.UNIT + "Exec=/bin/true\n" * self.count)


class Supervisord(Supervisor):
    def prepare(self):
        self.file = os.path.join(self.folder, "supervisord.conf")
        head = f"""[supervisord]
nodaemon=true
logfile=/dev/null
logfile_maxbytes=0
pidfile={self.folder}/pid
minfds=8192
user=root
[unix_http_server]
file={self.folder}/control
[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl=unix://{self.folder}/control
[program:all]
command={self.worker}
numprocs={self.count}
process_name=%(process_num)04d
startsecs=0
stdout_logfile=NONE
stderr_logfile=NONE
"""
        with open(self.file, "w", encoding="ascii") as file:
            file.write(head)

    def words(self):
        return [peers.command(self.lab, "supervisord"), "-c", self.file]

    def ask_to_reload(self):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": ENVIRONMENT}
        control = [os.path.join(os.path.dirname(self.words()[0]), "supervisorctl"), "-c", self.file]
        # pylint: disable-next=consider-using-with
        subprocess.Popen([*control, "signal", "HUP", "all:*"], **quiet)


class S6(Supervisor):
    """s6-svscan has no reload of its own: each service is sent the signal, by one s6-svc."""

    def prepare(self):
        self.scan = os.path.join(self.folder, "scan")
        os.mkdir(self.scan)
        for number in range(self.count):
            service = os.path.join(self.scan, f"{number:04}")
            os.mkdir(service)
            with open(os.path.join(service, "run"), "w", encoding="ascii") as run:
                run.write(f"#!/bin/sh\nexec {self.worker}\n")
            os.chmod(os.path.join(service, "run"), 0o755)

    def words(self):
        return [peers.command(self.lab, "s6-svscan"), "-c", "4000", self.scan]

    def ask_to_reload(self):
        program = os.path.join(os.path.dirname(self.words()[0]), "s6-svc")
        # pylint: disable-next=consider-using-with
        subprocess.Popen(["/bin/sh", "-c", f'for it in "$0"/*; do {program} -h "$it"; done', self.scan], env=ENVIRONMENT)


KINDS = {"programs": Programs, "hooks": Hooks, "commands": Commands, "supervisord": Supervisord, "s6": S6}
STEPS = ("start", "reload", "stop")


def footprint(pid):
    """Private memory in KiB, and descriptors."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as rollup:
        dirty = sum(int(line.split()[1]) for line in rollup if line.startswith("Private_Dirty"))
    return dirty, len(os.listdir(f"/proc/{pid}/fd"))


def run(lab, kind, count):
    """The seconds of each step, and what the supervisor keeps when all run."""
    supervisor = KINDS[kind](lab, kind, count)
    try:
        times = {"start": supervisor.start()}
        kept = footprint(supervisor.process.pid)
        times.update({"reload": supervisor.reload(), "stop": supervisor.stop()})
        return times, kept
    finally:
        supervisor.close()


def runs(lab, kind, count):
    """The same, of a few runs."""
    rounds = [run(lab, kind, count) for _ in range({1: 5, 10: 5, 100: 3}.get(count, 1) if not lab.quick else 1)]
    return {step: median([times[step] for times, _ in rounds]) for step in STEPS}, rounds[-1][1]


def measure(lab):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    kinds = ["programs", "hooks"]
    kinds += [kind for kind, name in (("supervisord", "supervisord"), ("s6", "s6-svscan")) if peers.command(lab, name)]
    spawn = measure_spawns(lab)
    seconds, kept = {}, {}
    for count in (1, 10, 100) if lab.quick else (1, 10, 100, 1000):
        for kind in kinds:
            try:
                seconds[kind, count], kept[kind, count] = runs(lab, kind, count)
            except RuntimeError as error:
                lab.skip(f"{kind} with {count}", str(error))
    for count in sorted({count for _, count in seconds}):
        for kind in kinds:
            tell(lab, kind, count, seconds)
    tell_hooks(lab, seconds, spawn)
    tell_growth(lab, kept)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def tell(lab, kind, count, seconds):
    its, ours = seconds.get((kind, count)), seconds.get(("programs", count))
    if not its or not ours:
        return
    figure = ", ".join(f"{step} {its[step] * 1e3:.0f}" for step in STEPS) + " ms"
    beside = "" if kind in ("programs", "hooks") else " / ".join(f"{its[step] / ours[step]:.1f}" for step in STEPS)
    lab.add("f", f"{count:,} {'hooks' if kind == 'hooks' else 'programs'}: {kind if kind in ('supervisord', 's6') else 'lifecycled'}",
            figure, beside)  # fmt: skip


def measure_spawns(lab):
    """A spawn in C and a command of a hook, in turn; returns the seconds of the first.

    A command is what one hook of many takes longer than one of few, of each step.
    """
    few, many = 1, 401
    floor, ours = [], []
    for _ in range(lab.rounds(10)):
        floor.append(median([line[0] / 1e9 for line in lab.lines_of_numbers(lab.path("spawn"), many, "/bin/true")]))
        short, long = run(lab, "commands", few)[0], run(lab, "commands", many)[0]
        ours.append(median([(long[step] - short[step]) / (many - few) for step in STEPS]))
    lab.add("f", "spawn → reaped, C", f"{median(floor) * 1e6:.0f} µs", 1.0)
    lab.add("f", "spawn → reaped, a command of a hook", f"{median(ours) * 1e6:.0f} µs", Ratio(ours, floor), limit=1.15)
    return median(floor)


def tell_hooks(lab, seconds, spawn):
    """What one hook of many costs, with its unit file and all that its event does, beside a spawn in C."""
    counts = sorted(count for kind, count in seconds if kind == "hooks")
    if len(counts) < 2:
        return
    few, many = counts[0], counts[-1]
    each = median([(seconds["hooks", many][step] - seconds["hooks", few][step]) / (many - few) for step in STEPS])
    lab.add("f", f"each of {many:,} hooks, with its event and its file", f"{each * 1e6:.0f} µs", each / spawn)


def tell_growth(lab, kept):
    """What one more program costs the supervisor, between one and very many."""
    for kind in ("programs", "supervisord"):
        counts = sorted(count for its, count in kept if its == kind)
        if len(counts) < 2:
            continue
        (few, few_descriptors), (many, many_descriptors) = kept[kind, counts[0]], kept[kind, counts[-1]]
        size = (many - few) / (counts[-1] - counts[0])
        descriptors = (many_descriptors - few_descriptors) / (counts[-1] - counts[0])
        limit = 10 if kind == "programs" else None
        name = "lifecycled" if kind == "programs" else kind
        figure = f"{size:.1f} KiB, {descriptors:.1f} descriptors"
        lab.add("f", f"each of {counts[-1]:,} programs costs {name}", figure, limit=limit, compared=size)
