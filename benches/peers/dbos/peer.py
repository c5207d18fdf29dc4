"""DBOS among the peers: client and worker in one process, as benches/peers/README.md asks."""

import json
import os
import sys
import threading
import time
import uuid

import sqlalchemy

from dbos import DBOS, DBOSClient, SetWorkflowID

# Between a start and its signal, so that every peer waits for it by then.
PAUSE = 0.1
STORE = f"sqlite:///{os.environ['PEER_STORE']}/dbos.sqlite"
RELAXED = "PEER_RELAXED" in os.environ


@sqlalchemy.event.listens_for(sqlalchemy.engine.Engine, "connect")
def relax(connection, _record):
    """The second row: a write-ahead log that is flushed at checkpoints alone."""
    if RELAXED:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")


@DBOS.step()
def nothing(n: int) -> int:
    return n


@DBOS.workflow()
def steps(n: int) -> int:
    for at in range(n):
        nothing(at)
    return n


@DBOS.workflow()
def fan(n: int) -> int:
    children = [DBOS.start_workflow(steps, 1) for _ in range(n)]
    return sum(child.get_result() for child in children)


@DBOS.workflow()
def replays(n: int) -> int:
    steps_here(n)
    return DBOS.recv("in", timeout_seconds=300)


def steps_here(n: int) -> None:
    for at in range(n):
        nothing(at)


def launch() -> None:
    config = {
        "name": "peer",
        "system_database_url": STORE,
        "application_version": "1",
        "executor_id": "peer",
        "log_level": "ERROR",
    }
    if RELAXED:
        config["notification_listener_polling_interval_sec"] = 0.01
    DBOS(config=config)
    DBOS.launch()


def repeated(times: int, once) -> dict:
    """Seconds of each of `times` repetitions, after one that warms up."""
    seconds = []
    for _ in range(times + 1):
        began = time.perf_counter()
        once()
        seconds.append(time.perf_counter() - began)
    return {"seconds": seconds[1:]}


def together(workflow, n: int, count: int) -> None:
    for handle in [DBOS.start_workflow(workflow, n) for _ in range(count)]:
        handle.get_result()


def many(runs: str, n: str, times: str) -> dict:
    return repeated(int(times), lambda: together(steps, int(n), int(runs)))


def fan_out(n: str, times: str) -> dict:
    return repeated(int(times), lambda: together(fan, int(n), 1))


def signal(rounds: str) -> dict:
    seconds = []
    for _ in range(int(rounds) + 1):
        handle = DBOS.start_workflow(replays, 0)
        time.sleep(PAUSE)
        began = time.perf_counter()
        DBOS.send(handle.workflow_id, 7, "in")
        handle.get_result()
        seconds.append(time.perf_counter() - began)
    return {"seconds": seconds[1:]}


def prepare(n: str) -> dict:
    """The process ends while the workflow waits: the next one recovers it."""
    name = str(uuid.uuid4())
    with SetWorkflowID(name):
        DBOS.start_workflow(replays, int(n))
    while len(DBOS.list_workflow_steps(name)) < int(n):
        time.sleep(0.05)
    return {"id": name}


def resume(name: str) -> dict:
    """From the launch, which recovers and replays, to the result: the signal is there before."""
    client = DBOSClient(system_database_url=STORE)
    client.send(name, 7, "in")
    client.destroy()
    began = time.perf_counter()
    launch()
    DBOS.retrieve_workflow(name).get_result(polling_interval_sec=0.005)
    return {"seconds": [time.perf_counter() - began]}


def idle(seconds: str) -> dict:
    print(json.dumps({"ready": True}), flush=True)
    time.sleep(float(seconds))
    return {}


def main() -> None:
    name, *args = sys.argv[1:]
    workloads = {
        "many": many,
        "fan": fan_out,
        "signal": signal,
        "prepare": prepare,
        "resume": resume,
        "idle": idle,
    }
    if name != "resume":
        launch()
    answer = workloads[name](*args)
    print(json.dumps(answer), flush=True)
    # Threads of waiting workflows would hold the process.
    threading.Thread(target=os._exit, args=(0,)).start()


if __name__ == "__main__":
    main()
