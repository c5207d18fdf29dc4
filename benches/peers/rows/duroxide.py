"""duroxide: from crates.io, on SQLite; client and worker are one process."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from workloads import Row

HERE = Path(__file__).resolve().parent.parent / "duroxide"


@dataclass
class Duroxide(Row):
    fsync: bool = True
    program: Path = Path()

    def install(self, cache):
        target = cache / "duroxide" / "target"
        build = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", target]
        subprocess.run(build, cwd=HERE, check=True)
        self.program = target / "release" / "duroxide-peer"

    def client(self, folder):
        return [self.program], {
            "PEER_STORE": str(folder),
            **({"PEER_FSYNC": "1"} if self.fsync else {}),
        }


def rows():
    name = ("duroxide", "0.1.32, polls every 1 ms")
    return [
        Duroxide(*name, "SQLite, WAL, fsync (set by us)"),
        Duroxide(*name, "SQLite, WAL, fsync at checkpoints (default)", fsync=False),
    ]
