"""Packs a binary as Lambda's `bootstrap`, and refuses one that Lambda would not run.

The zip contains the build time of the binary, since builds are ordered by age (docs/operations.md), and nothing else
that differs from run to run: a build that changed nothing has the same digest, and publishes no new version.
"""

import argparse
import os
import re
import sys
import time
import zipfile

# `e_machine` in the header of an ELF file.
MACHINES = {"x86_64": 62, "arm64": 183}


def refuse(why):
    sys.exit(f"infra/build: {why}")


def machine(binary):
    """The architecture of an ELF executable."""
    if binary[:4] != b"\x7fELF" or binary[4] != 2:
        refuse("the binary is no 64-bit ELF file")
    return int.from_bytes(binary[18:20], "little")


def newest_glibc(binary):
    """The newest version of glibc that a symbol needs: the names are plain text in the binary."""
    found = {
        tuple(map(int, v.split(b"."))) for v in re.findall(rb"\x00GLIBC_(\d+(?:\.\d+)+)(?=\x00)", binary)
    }
    if not found:
        refuse("the binary asks for no version of glibc: is it linked dynamically?")
    return max(found)


def pack(entries, at, out):
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data, mode in entries:
            entry = zipfile.ZipInfo(name, at)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data, compresslevel=9)


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("binary")
    asked.add_argument("out")
    asked.add_argument("--most", type=int, required=True, help="bytes of the zip")
    asked.add_argument("--glibc", required=True, help="the version that Lambda has")
    asked.add_argument("--arch", choices=sorted(MACHINES), required=True)
    asked.add_argument("--triggers", help="rules to pack as triggers.toml")
    asked = asked.parse_args()
    with open(asked.binary, "rb") as file:
        binary = file.read()
    if machine(binary) != MACHINES[asked.arch]:
        refuse(f"the binary does not run on {asked.arch}: machine={machine(binary)}")
    newest = newest_glibc(binary)
    if newest > tuple(map(int, asked.glibc.split("."))):
        refuse(f"the binary needs glibc {'.'.join(map(str, newest))}, and Lambda has {asked.glibc}")
    entries = [("bootstrap", binary, 0o755)]
    if asked.triggers:
        with open(asked.triggers, "rb") as file:
            entries.append(("triggers.toml", file.read(), 0o644))
    # Under another name until it is complete: a killed build leaves the old package.
    # Lambda's clocks, like its folders, are in UTC.
    built = time.gmtime(os.path.getmtime(asked.binary))[:6]
    pack(entries, built, f"{asked.out}.new")
    size = os.path.getsize(f"{asked.out}.new")
    print(
        f"binary {len(binary) / 1e6:.1f} MB, zip {size / 1e6:.1f} MB (at most {asked.most / 1e6:.0f}), "
        f"glibc {'.'.join(map(str, newest))} (at most {asked.glibc}), {asked.arch}: {asked.out}"
    )
    for name, data, _ in entries[1:]:
        print(f"with {name}, {len(data)} bytes")
    if size > asked.most:
        os.remove(f"{asked.out}.new")
        refuse(f"the zip is {size} bytes, at most {asked.most}: what has the binary grown by? (cargo bloat)")
    os.replace(f"{asked.out}.new", asked.out)


main()
