"""Millpond: the crate `millpond-benches` of this repository, client and worker in one process."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from workloads import Row

ROOT = Path(__file__).resolve().parents[3]


@dataclass
class Millpond(Row):
    bucket: str = "sqlite:{folder}/pond.db"
    fsync: bool = True
    program: Path = Path()

    def install(self, cache):
        build = ["cargo", "build", "--release", "--locked", "--package", "millpond-benches"]
        subprocess.run([*build, "--bin", "millpond-peer"], cwd=ROOT, check=True)
        where = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"]
        output = subprocess.run(where, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        target = re.search(r'"target_directory":"([^"]+)"', output).group(1)
        self.program = Path(target) / "release" / "millpond-peer"

    def client(self, folder):
        bucket = self.bucket.format(folder=folder)
        return [self.program, "--bucket", bucket, *([] if self.fsync else ["--no-fsync"])], {}


def rows():
    manifest = (ROOT / "Cargo.toml").read_text()
    name = ("Millpond", re.search(r'\nversion = "(.+)"', manifest).group(1))
    return [
        Millpond(*name, "SQLite file, fsync"),
        Millpond(*name, "SQLite file, no fsync", fsync=False),
        Millpond(*name, "memory", bucket="memory:", persistent=False),
    ]
