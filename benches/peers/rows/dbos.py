"""DBOS: from PyPI, on SQLite; client and worker are one process."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from workloads import Row

HERE = Path(__file__).resolve().parent.parent / "dbos"
VERSION = "3.4.0"


@dataclass
class Dbos(Row):
    relaxed: bool = False
    python: Path = Path()

    def install(self, cache):
        home = cache / "dbos"
        self.python = home / "bin" / "python"
        if not self.python.exists():
            subprocess.run([sys.executable, "-m", "venv", home], check=True)
        pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([self.python, *pip, f"dbos=={VERSION}"], check=True)

    def client(self, folder):
        env = {"PEER_STORE": str(folder), **({"PEER_RELAXED": "1"} if self.relaxed else {})}
        return [self.python, HERE / "peer.py"], env


def rows():
    name = ("DBOS", f"{VERSION}, Python SDK")
    return [
        Dbos(*name, "SQLite, fsync (default)"),
        Dbos(*name, "SQLite, WAL, fsync at checkpoints; polls every 10 ms", relaxed=True),
    ]
