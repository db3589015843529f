import cluster, { type Worker } from "node:cluster";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { holdersIn, places } from "@/lib/runtime/places";
import { answerHere, askEach, Line, TO_OTHERS } from "@/lib/runtime/processes";
import { MINUTE_MS, SECOND_MS } from "@/lib/time";

type Kind = "web" | "worker";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30 * SECOND_MS;
/** Who lived so long has started well: the next pause is a short one again. */
const LIVED_WELL_MS = MINUTE_MS;

interface Member {
  worker: Worker;
  line: Line;
}

/** The processes of one port: as many web processes as configured, and one for the background work. */
export class Fleet {
  readonly #web = new Map<number, Member>();
  readonly #all = new Set<Worker>();
  readonly #stopping = new AbortController();
  #hasListened = false;
  #failed: (reason: Error) => void = () => undefined;

  constructor(readonly config: Env) {}

  /** Starts them all. The promise rejects when one ends before any has ever listened; else it stays open. */
  start(): Promise<never> {
    // Each takes connections from the one socket when it is free. Dealt out in turn, a connection that is on its way to a
    // process that is killed would be left open, and its client wait for ever.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    const failed = new Promise<never>((_, fail) => {
      this.#failed = fail;
    });
    for (let n = 0; n < this.config.webProcesses; n++) void this.#keep("web");
    if (this.config.worker === "inside") void this.#keep("worker");
    return failed;
  }

  signal(signal: NodeJS.Signals): void {
    for (const worker of this.#all) worker.process.kill(signal);
  }

  /** Tells each to end what it has begun, and waits until all have. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const ended = [...this.#all].map((worker) => new Promise((done) => worker.process.once("exit", done)));
    this.signal("SIGTERM");
    await Promise.all(ended);
  }

  /** Runs one of a kind, again and again until all are to stop. */
  async #keep(kind: Kind): Promise<void> {
    const { signal } = this.#stopping;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const startedAt = performance.now();
      const reason = await this.#runOnce(kind);
      if (signal.aborted) return;
      if (!this.#hasListened) return this.#failed(new Error(`a ${kind} process ended at its start`));
      if (performance.now() - startedAt > LIVED_WELL_MS) pauseMs = FIRST_PAUSE_MS;
      log("error", "a process ended and is started again", { kind, reason, ms: pauseMs });
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Starts one and waits for its end; resolves to the signal or code it ended with. */
  #runOnce(kind: Kind): Promise<string> {
    cluster.setupPrimary({
      exec: fileURLToPath(new URL(`${kind}.mjs`, import.meta.url)),
      // Dates, maps and arrays of numbers arrive as what they are.
      serialization: "advanced",
    });
    const worker = cluster.fork(kind === "web" ? { WORKER: "none" } : {});
    this.#all.add(worker);
    const line = new Line(
      (message) => worker.send(toSend(message), () => undefined),
      (name, args) => (name === TO_OTHERS ? this.#askOthers(worker.id, args) : answerHere(name, args)),
    );
    worker.on("message", (message: unknown) => line.hear(message));
    worker.once("listening", () => {
      this.#hasListened = true;
      if (kind === "web") this.#web.set(worker.id, { worker, line });
    });
    // Without this listener a failed message to a process that is just ending would end this one.
    worker.on("error", () => undefined);
    return new Promise((done) => {
      worker.process.once("exit", (code, signal) => {
        this.#all.delete(worker);
        this.#web.delete(worker.id);
        line.close();
        for (const holder of holdersIn(worker.process.pid)) places().giveAll(holder);
        done(signal ?? String(code));
      });
    });
  }

  /** Each process answers for itself and for its thread. */
  async #askOthers(asking: number, [name, args]: unknown[]): Promise<unknown[]> {
    const others = [...this.#web].filter(([id]) => id !== asking).map(([, { line }]) => line);
    return (await askEach(others, String(name), Array.isArray(args) ? args : [])).flat();
  }
}

/** Node's types know of no message that is merely unknown. */
const toSend = (message: unknown) => message as Parameters<Worker["send"]>[0];
