// Restate among the peers, as benches/peers/README.md asks: `serve` is the worker, every other
// workload is a client of the server's ingress. Both are processes of their own.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as restate from "@restatedev/restate-sdk";
import * as clients from "@restatedev/restate-sdk-clients";

/** Between a start and its signal, so that every peer waits for it by then. */
const PAUSE = 100;

/** A waiting invocation is suspended after this time, so that `resume` replays its journal. */
const INACTIVE = 1000;

// The SDK asks for Node 22; on Node 20 this is all that it misses.
Promise.withResolvers ??= function () {
  const parts = {};
  parts.promise = new this((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};

async function steps(ctx, n) {
  for (let at = 0; at < n; at++) await ctx.run("nothing", () => at);
  return n;
}

const bench = restate.service({
  name: "bench",
  handlers: {
    steps,
    fan: async (ctx, n) => {
      const children = Array.from({ length: n }, () => ctx.serviceClient(bench).steps(1));
      return (await restate.RestatePromise.all(children)).length;
    },
  },
});

const replays = restate.workflow({
  name: "replays",
  handlers: {
    run: async (ctx, n) => {
      await steps(ctx, n);
      ctx.set("waits", true);
      return await ctx.promise("in");
    },
    waits: async (ctx) => (await ctx.get("waits")) ?? false,
    signal: async (ctx, n) => ctx.promise("in").resolve(n),
  },
  options: { inactivityTimeout: INACTIVE },
});

function elapsed(began) {
  return (performance.now() - began) / 1000;
}

/** Seconds of each of `times` repetitions, after one that warms up. */
async function repeated(times, once) {
  const seconds = [];
  for (let at = 0; at <= times; at++) {
    const began = performance.now();
    await once();
    seconds.push(elapsed(began));
  }
  return { seconds: seconds.slice(1) };
}

async function signalled(ingress, id) {
  const run = ingress.workflowClient(replays, id);
  const end = run.workflowAttach();
  const began = performance.now();
  await run.signal(7);
  await end;
  return elapsed(began);
}

const workloads = {
  many: (ingress, runs, n, times) =>
    repeated(times, () => {
      const calls = Array.from({ length: runs }, () => ingress.serviceClient(bench).steps(n));
      return Promise.all(calls);
    }),
  fan: (ingress, n, times) => repeated(times, () => ingress.serviceClient(bench).fan(n)),
  signal: async (ingress, rounds) => {
    const seconds = [];
    for (let at = 0; at <= rounds; at++) {
      const id = randomUUID();
      await ingress.workflowClient(replays, id).workflowSubmit(0);
      await sleep(PAUSE);
      seconds.push(await signalled(ingress, id));
    }
    return { seconds: seconds.slice(1) };
  },
  prepare: async (ingress, n) => {
    const id = randomUUID();
    const run = ingress.workflowClient(replays, id);
    await run.workflowSubmit(n);
    while (!(await run.waits())) await sleep(20);
    await sleep(3 * INACTIVE);
    return { id };
  },
  resume: async (ingress, id) => {
    // The replay is measured, not how slow Node is before it has compiled what runs often.
    await ingress.serviceClient(bench).steps(1000);
    return { seconds: [await signalled(ingress, id)] };
  },
};

const [name, ...args] = process.argv.slice(2);
if (name === "serve") {
  await restate.serve({ services: [bench, replays], port: Number(args[0]) });
} else {
  const ingress = clients.connect({ url: process.env.PEER_URL });
  const values = args.map((arg) => (/^\d+$/.test(arg) ? Number(arg) : arg));
  console.log(JSON.stringify(await workloads[name](ingress, ...values)));
  process.exit(0);
}
