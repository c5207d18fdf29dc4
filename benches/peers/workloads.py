"""The workloads, the same for every peer, and how their figures are taken."""

import time
from dataclasses import dataclass, field

from processes import Failed, answer, cpu, memory

# Longest wait for one workload.
PATIENCE = 600.0

# After a start, before idle figures are taken.
SETTLE = 3


@dataclass
class Sizes:
    """How much of each workload."""

    times: int = 3
    w1: tuple[int, int] = (20, 100)
    w2: tuple[int, int] = (500, 5)
    w3: tuple[int, ...] = (50, 200, 400)
    w4: int = 50
    w5: int = 1000
    idle: int = 30


QUICK = Sizes(times=1, w1=(5, 20), w2=(50, 5), w3=(10, 50), w4=10, w5=100, idle=5)


@dataclass
class Row:
    """One peer with one durability. Subclasses define how it is installed, started and asked."""

    peer: str
    version: str
    durability: str
    note: str = ""
    # Whether anything of it outlives a process, so that a replay can be measured.
    persistent: bool = True
    # What `start` has started: name and process, for the figures of an idle system.
    servers: dict = field(default_factory=dict)

    def install(self, cache) -> None:
        """Brings what is needed into the cache folder."""
        raise NotImplementedError

    def start(self, processes, folder) -> None:
        """Starts servers on a fresh folder. An embedded engine has none."""

    def restart(self, processes) -> None:
        """Replaces the worker process. An embedded engine's worker is each client process."""

    def client(self, folder) -> tuple[list, dict]:
        """Command and environment of its client, but for the workload."""
        raise NotImplementedError


def measure(row: Row, processes, folder, sizes: Sizes, report) -> dict:
    """All figures of one row. A workload that fails is a figure too: why it failed."""
    argv, env = row.client(folder)

    def ask(*words) -> list[float]:
        report(f"  {' '.join(map(str, words))}")
        return processes.ask([*argv, *words], env, PATIENCE)["seconds"]

    def replayed() -> list[float]:
        seconds = []
        for _ in range(sizes.times):
            report(f"  prepare {sizes.w5}, restart, resume")
            name = processes.ask([*argv, "prepare", sizes.w5], env, PATIENCE)["id"]
            row.restart(processes)
            seconds += processes.ask([*argv, "resume", name], env, PATIENCE)["seconds"]
        return seconds

    (runs, steps), (workflows, short) = sizes.w1, sizes.w2
    return {
        "w1_steps_per_s": tried(lambda: runs * steps / min(ask("many", runs, steps, sizes.times))),
        "w2_workflows_per_s": tried(
            lambda: workflows / min(ask("many", workflows, short, sizes.times))
        ),
        "w3_s": {str(n): tried(lambda n=n: min(ask("fan", n, sizes.times))) for n in sizes.w3},
        "w4_ms": tried(lambda: latency(ask("signal", sizes.w4 * sizes.times), sizes.w4)),
        "w5_s": tried(lambda: min(replayed())) if row.persistent else None,
        "idle": tried(lambda: idle(row, processes, argv, env, sizes.idle)),
    }


def tried(figure):
    """A figure, or why there is none."""
    try:
        return figure()
    except Failed as why:
        return {"failed": str(why)}


def latency(seconds: list[float], rounds: int) -> dict:
    """p50 and p95 in ms of the best group of rounds."""
    groups = [sorted(seconds[at : at + rounds]) for at in range(0, len(seconds), rounds)]
    best = min(groups, key=lambda group: group[len(group) // 2])
    return {
        "p50": 1000 * best[len(best) // 2],
        "p95": 1000 * best[min(len(best) - 1, len(best) * 95 // 100)],
    }


def idle(row: Row, processes, argv, env, seconds: int) -> dict:
    """CPU and memory of everything that runs while there is nothing to do."""
    watched = dict(row.servers)
    client = None
    if not watched:
        client = processes.start("client", [*argv, "idle", SETTLE + seconds], env)
        answer([client.stdout.readline().decode()])
        watched = {"process": client}
    time.sleep(SETTLE)
    before = {name: cpu(process) for name, process in watched.items()}
    began = time.monotonic()
    time.sleep(seconds - 1)
    per_minute = 60 / (time.monotonic() - began)
    figures = {
        "memory_mb": {name: memory(process) for name, process in watched.items()},
        "cpu_s_per_minute": sum(cpu(p) - before[name] for name, p in watched.items()) * per_minute,
    }
    if client:
        counted = answer([client.stdout.readline().decode()])
        for kind in ("write_requests", "read_requests"):
            if kind in counted:
                figures[f"{kind}_per_minute"] = counted[kind] * 60 / counted["seconds"][0]
        processes.stop(client)
    return figures
