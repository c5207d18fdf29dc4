"""Processes of a run: started in groups of their own, looked at from outside, all ended with it."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    """A command failed, or its output is not as expected."""


class Processes:
    """Whatever a run has started and not yet ended."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.running: list[subprocess.Popen] = []

    def start(self, name: str, argv: list, env: dict | None = None) -> subprocess.Popen:
        """Starts a server or worker; its output goes to a file in the run's folder."""
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                [str(word) for word in argv],
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if name == "client" else log,
                stderr=log,
                start_new_session=True,
            )
        self.running.append(process)
        return process

    def stop(self, process: subprocess.Popen) -> None:
        """Asks a process group to end, and ends it if it does not."""
        for how, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, 10)):
            try:
                os.killpg(process.pid, how)
            except ProcessLookupError:
                pass
            try:
                process.wait(patience)
                break
            except subprocess.TimeoutExpired:
                continue
        self.running.remove(process)

    def stop_all(self) -> None:
        for process in list(reversed(self.running)):
            self.stop(process)

    def ask(self, argv: list, env: dict, patience: float) -> dict:
        """Runs a client to its end; its answer is the last line that it prints."""
        process = self.start("client", argv, env)
        try:
            out, _ = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            raise Failed(f"no answer in {patience:.0f} s") from None
        finally:
            self.stop(process)
        if process.returncode != 0:
            raise Failed(f"exit code {process.returncode}, see {self.folder}/client.log")
        return answer(out.decode().splitlines()[-1:])


def answer(lines: list[str]) -> dict:
    """The JSON object that a client has printed."""
    try:
        return json.loads(lines[0])
    except (IndexError, ValueError):
        raise Failed(f"no answer, but {lines}") from None


def memory(process: subprocess.Popen) -> float:
    """Resident memory, MB."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise Failed(f"process {process.pid} has no memory")


def cpu(process: subprocess.Popen) -> float:
    """CPU time so far, of user and kernel, seconds."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def free_ports(count: int) -> list[int]:
    """Ports of this host that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def request(url: str, body: dict | None = None, patience: float = 60) -> None:
    """Asks until there is a good answer: also how one waits for a server."""
    data = None if body is None else json.dumps(body).encode()
    end = time.monotonic() + patience
    while True:
        call = urllib.request.Request(url, data, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(call, timeout=10):
                return
        except OSError as error:
            if time.monotonic() > end:
                raise Failed(f"{url}: {error}") from error
            time.sleep(0.1)
