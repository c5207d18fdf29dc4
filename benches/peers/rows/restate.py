"""Restate: server, SDK and its clients from npm; server, worker and client are three processes."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from processes import free_ports, request
from workloads import Row

HERE = Path(__file__).resolve().parent.parent / "restate"


@dataclass
class Restate(Row):
    fsync: bool = True
    home: Path = Path()
    ports: tuple = ()

    def install(self, cache):
        self.home = cache / "restate"
        self.home.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "peer.js"):
            shutil.copy(HERE / name, self.home)
        npm = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        subprocess.run(npm, cwd=self.home, check=True)

    def start(self, processes, folder):
        packages = self.home / "node_modules" / "@restatedev"
        server = next(packages.glob("restate-server-*/bin/restate-server"))
        node, ingress, admin, worker = self.ports = free_ports(4)
        env = {
            "RESTATE_BIND_IP": "127.0.0.1",
            "RESTATE_BIND_PORT": str(node),
            "RESTATE_INGRESS__BIND_PORT": str(ingress),
            "RESTATE_ADMIN__BIND_PORT": str(admin),
            "RESTATE_DISABLE_TELEMETRY": "true",
            "RESTATE_LOG_SERVER__ROCKSDB_DISABLE_WAL_FSYNC": str(not self.fsync).lower(),
        }
        argv = [server, "--base-dir", folder, "--listen-mode", "tcp", "--no-logo"]
        self.servers = {"server": processes.start("server", argv, env)}
        request(f"http://127.0.0.1:{admin}/health")
        self.serve(processes)
        deployment = {"uri": f"http://127.0.0.1:{worker}"}
        request(f"http://127.0.0.1:{admin}/deployments", deployment)

    def serve(self, processes):
        argv = ["node", self.home / "peer.js", "serve", self.ports[3]]
        self.servers["worker"] = processes.start("worker", argv, {"NODE_ENV": "production"})

    def restart(self, processes):
        processes.stop(self.servers["worker"])
        self.serve(processes)
        # Registered before: registering again asks the new process, that is, waits for it.
        deployment = {"uri": f"http://127.0.0.1:{self.ports[3]}", "force": True}
        request(f"http://127.0.0.1:{self.ports[2]}/deployments", deployment)

    def client(self, folder):
        return ["node", self.home / "peer.js"], {"PEER_URL": f"http://127.0.0.1:{self.ports[1]}"}


def rows():
    name = ("Restate", "1.7.12, TypeScript SDK 1.17.2")
    return [
        Restate(*name, "log server, fsync (default)"),
        Restate(*name, "log server, no fsync", fsync=False),
    ]
