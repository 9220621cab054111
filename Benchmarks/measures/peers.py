"""What others offer: installed from Debian when it is absent, left out with a word when it is not to be had."""

import os
import shutil
import subprocess

from .lab import BUILD, HERE

SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
PACKAGES = {
    "go": "golang-go golang-github-coreos-go-systemd-dev",
    "supervisord": "supervisor",
    "s6-svscan": "s6",
    "tini": "tini",
    "dumb-init": "dumb-init",
    "systemd-notify": "systemd",
}


def command(lab, name):
    """The path of a peer's command, or None."""
    path = shutil.which(name, path=SYSTEM_PATH)
    if not path and name in PACKAGES:
        install(PACKAGES[name].split())
        path = shutil.which(name, path=SYSTEM_PATH)
    if not path:
        lab.skip(name, "not installed" + (f", and there is no package {PACKAGES[name]}" if name in PACKAGES else ""))
    return path


def install(packages):
    if os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["apt-get", "-qq", "install", "--no-install-recommends", "-y", *packages], check=False, **quiet)


def go(lab):
    compiler = command(lab, "go")
    if not compiler:
        return None
    if not os.path.isdir("/usr/share/gocode/src/github.com/coreos/go-systemd"):
        install(PACKAGES["go"].split())
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": os.path.join(BUILD, "go")}
    made = subprocess.run(
        [compiler, "build", "-o", lab.path("go-signal"), os.path.join(HERE, "Peers", "signal.go")],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if made.returncode != 0:
        lab.skip("Go", made.stderr.strip().splitlines()[-1])
        return None
    return lab.path("go-signal")


def python(lab):
    path = shutil.which("python3", path=SYSTEM_PATH)
    has = lambda: path and subprocess.run([path, "-c", "import sdnotify"], capture_output=True, check=False).returncode == 0
    if not has():
        install(["python3-sdnotify"])
    if not has():
        lab.skip("Python", "no python3-sdnotify")
        return None
    return f"{path} {os.path.join(HERE, 'Peers', 'asyncio_signal.py')}"


def node(lab):
    path = command(lab, "node")
    return path and f"{path} {os.path.join(HERE, 'Peers', 'signal.js')}"


def service_lifecycle(lab):
    """UnixSignals of swift-service-lifecycle, when PEERS=dir names a checkout of it."""
    checkout = os.environ.get("PEERS")
    if not checkout:
        lab.skip("swift-service-lifecycle", "make bench PEERS=DIR, where DIR is a clone of it that builds")
        return None
    package = os.path.join(BUILD, "unix-signals")
    shutil.rmtree(os.path.join(package, "Sources"), ignore_errors=True)
    os.makedirs(os.path.join(package, "Sources", "unix-signals"))
    shutil.copy(os.path.join(HERE, "Peers", "UnixSignals.swift"), os.path.join(package, "Sources", "unix-signals", "Main.swift"))
    with open(os.path.join(HERE, "Peers", "UnixSignals.package"), encoding="utf-8") as template:
        text = template.read().replace("CHECKOUT", os.path.realpath(checkout))
    with open(os.path.join(package, "Package.swift"), "w", encoding="utf-8") as manifest:
        manifest.write(text)
    made = subprocess.run(
        ["swift", "build", "--package-path", package, "-c", "release", "--static-swift-stdlib"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if made.returncode != 0:
        lab.skip("swift-service-lifecycle", (made.stdout + made.stderr).strip().splitlines()[-1])
        return None
    return os.path.join(package, ".build", "release", "unix-signals")
