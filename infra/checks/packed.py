"""infra/pack.py on generated binaries: which it packs, and which it refuses."""

import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

PACK = pathlib.Path(__file__).resolve().parent.parent / "pack.py"


def elf(machine=62, glibc=("2.2.5", "2.34"), size=0):
    """The header of an executable, the names of the versions that it needs, and incompressible bytes."""
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + (3).to_bytes(2, "little") + machine.to_bytes(2, "little")
    return header + b"\0" + b"".join(b"GLIBC_%s\0" % one.encode() for one in glibc) + os.urandom(size)


# The input, the options, and the expected error.
CASES = [
    ("as it should be", elf(), [], None),
    ("an older glibc", elf(glibc=("2.17",)), [], None),
    ("for arm64", elf(machine=183), ["--arch", "arm64"], None),
    ("a newer glibc", elf(glibc=("2.34", "2.36")), [], "needs glibc 2.36"),
    ("a glibc that is newer by number, not by text", elf(glibc=("2.4", "2.100")), [], "needs glibc 2.100"),
    ("no glibc", elf(glibc=()), [], "no version of glibc"),
    ("another machine", elf(machine=183), [], "does not run on x86_64"),
    ("a script", b"#!/bin/sh\n", [], "no 64-bit ELF"),
    ("too large", elf(size=20_000), [], "at most 10000"),
]


def check():
    """Deviations of pack.py from the expectation."""
    for name, binary, more, expected in CASES:
        with tempfile.TemporaryDirectory() as folder:
            yield from (f"pack: {name}: {what}" for what in _case(pathlib.Path(folder), binary, more, expected))


def _case(folder, binary, more, expected):
    file, out = folder / "app", folder / "out.zip"
    file.write_bytes(binary)
    os.utime(file, (1767225600, 1767225600))
    (folder / "rules.toml").write_text("[[trigger]]\n")
    command = [
        sys.executable,
        "-B",
        PACK,
        file,
        out,
        "--most",
        "10000",
        "--glibc",
        "2.34",
        "--arch",
        "x86_64",
    ]
    command += ["--triggers", folder / "rules.toml", *more]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if expected is not None:
        if done.returncode == 0 or expected not in done.stderr:
            yield f"it is not refused by `{expected}`: {done.stderr}"
        if list(folder.glob("out.zip*")):
            yield "a refused package is left behind"
        return
    if done.returncode != 0:
        yield f"it is refused: {done.stderr}"
        return
    first = out.read_bytes()
    subprocess.run(command, check=True, capture_output=True)
    if out.read_bytes() != first:
        yield "two packages of one binary differ"
    with zipfile.ZipFile(out) as archive:
        found = [(one.filename, one.external_attr >> 16, one.date_time) for one in archive.infolist()]
        if archive.read("bootstrap") != binary:
            yield "the binary was changed"
    instant = (2026, 1, 1, 0, 0, 0)
    if found != [("bootstrap", 0o100755, instant), ("triggers.toml", 0o100644, instant)]:
        yield f"the zip holds {found}"
