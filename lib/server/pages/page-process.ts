import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { pageProcessMemory } from "@/lib/runtime/metrics";
import { serveProcedures } from "@/lib/runtime/server-rpc";
import { withDeadline } from "@/lib/runtime/unavailable";
import { MINUTE_MS, SECOND_MS } from "@/lib/time";
import { pageProcessFigures } from "./page-figures";

/** Longest wait of a page request for a process that is starting. */
const START_MS = 15 * SECOND_MS;
/** Longest wait for a process to exit after it was asked to. */
const END_MS = 5 * SECOND_MS;
/** File descriptor to which the page process writes its log. It is the HTTP server's standard output. */
export const LOG_DESCRIPTOR = 4;
/** Interval of the page process' heartbeat. */
export const PAGE_PROCESS_HEARTBEAT_MS = 2 * SECOND_MS;
/** Seconds without a heartbeat after which the page process is killed. */
const SILENT_SECONDS = 15;
/**
 * Seconds without a message after which a starting page process is killed: a start takes two seconds, and most of a minute
 * on an overloaded machine.
 */
const STARTING_SECONDS = 120;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30 * SECOND_MS;
/** Uptime that resets the back-off. */
const STABLE_AFTER_MS = MINUTE_MS;

/** Messages of the page process: that it listens, then a heartbeat every two seconds. */
export type PageProcessMessage =
  | { pages: "listening" }
  | { pages: "beat"; residentBytes: number; heapBytes: number };

/** Command to the page process: end event streams, because the HTTP server is stopping. */
export interface PageProcessCommand {
  pages: "close-streams";
}

/** Thrown while the page process is not running. */
export class PageProcessDownError extends Error {
  readonly code = "CONNECTION_CLOSED";
}

/** Supervises the page process: starts it, watches it and restarts it after it ended. */
export class PageProcess {
  readonly #stopping = new AbortController();
  #child: ChildProcess | null = null;
  #listening: Promise<void> = Promise.reject(new PageProcessDownError("not started"));
  #kept: Promise<void> | null = null;

  constructor(
    readonly socketPath: string,
    readonly entry: URL = new URL("./page-server.mjs", import.meta.url),
    readonly silentSeconds = SILENT_SECONDS,
  ) {
    this.#listening.catch(() => undefined);
  }

  /** Starts the process now. Otherwise the first page request does. */
  start(): void {
    this.#kept ??= this.#keep();
  }

  /**
   * Starts the process if it was never started, and resolves once it listens. Rejects if it is down or does not listen
   * within 15 s.
   */
  async whenUp(): Promise<void> {
    this.start();
    await withDeadline(this.#listening, START_MS);
  }

  closeStreams(): void {
    const order: PageProcessCommand = { pages: "close-streams" };
    if (this.#child?.connected) this.#child.send(order, () => undefined);
  }

  /** Makes the process reopen its LOG_FILE, as the HTTP server does on SIGHUP. */
  reopenLog(): void {
    this.#child?.kill("SIGHUP");
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#child?.kill("SIGTERM");
    await withDeadline(this.#kept ?? Promise.resolve(), END_MS).catch(() => this.#child?.kill("SIGKILL"));
    await this.#kept;
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const startedAt = performance.now();
      const reason = await this.#runOnce();
      if (signal.aborted) return;
      if (performance.now() - startedAt > STABLE_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
      log("error", "the page process ended and is started again", { reason, ms: pauseMs });
      await pause(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Runs the process until it ends; resolves to its signal or exit code. */
  async #runOnce(): Promise<string> {
    const figures = pageProcessFigures();
    const child = fork(fileURLToPath(this.entry), [this.socketPath], {
      serialization: "advanced",
      // What Next prints is dropped: it is not JSON, and quotes addresses and data of failed pages. Next reports
      // failures through instrumentation.ts.
      stdio: ["ignore", "ignore", "ignore", "ipc", process.stdout.fd],
    });
    this.#child = child;
    serveProcedures(child);
    let silentSeconds = 0;
    let maxSilentSeconds = STARTING_SECONDS;
    // Counts ticks and not time: if this process itself was blocked, that counts as one second.
    const watch = setInterval(() => {
      if (++silentSeconds > maxSilentSeconds) child.kill("SIGKILL");
    }, SECOND_MS).unref();
    const ended = once(child, "exit").then(
      ([code, signal]) => String(signal ?? code),
      (error: NodeJS.ErrnoException) => error.code ?? error.name,
    );
    this.#listening = new Promise((done, fail) => {
      child.on("message", (news: PageProcessMessage | { pages?: undefined }) => {
        if (news.pages === undefined) return;
        silentSeconds = 0;
        maxSilentSeconds = this.silentSeconds;
        if (news.pages === "beat") {
          Object.assign(figures, { residentBytes: news.residentBytes, heapBytes: news.heapBytes });
          pageProcessMemory.rssBytes = news.residentBytes;
        } else {
          figures.isUp = true;
          done();
        }
      });
      void ended.then(() => fail(new PageProcessDownError("the page process ended")));
    });
    this.#listening.catch(() => undefined);
    // Without a listener, a message to an exiting process would crash this one.
    child.on("error", () => undefined);
    try {
      return await ended;
    } finally {
      clearInterval(watch);
      Object.assign(figures, { isUp: false, residentBytes: 0, heapBytes: 0 });
      pageProcessMemory.rssBytes = 0;
    }
  }
}

/**
 * Socket of the page process: one fixed path per configuration, so that killed processes leave no growing litter.
 * Only this user can open it (page-server.ts).
 */
export function pageSocketPath({ dataDir, port, host }: Env): string {
  const name = createHash("sha256").update(`${dataDir} ${host} ${port}`).digest("hex").slice(0, 16);
  return process.platform === "win32"
    ? `\\\\.\\pipe\\signal-pages-${name}`
    : join(tmpdir(), `signal-pages-${name}.sock`);
}
