import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { log } from "@/lib/runtime/log";
import { operated } from "@/lib/runtime/operated";
import { givePlacesOfThread } from "@/lib/runtime/places";
import { answerThread, type Line } from "@/lib/runtime/processes";
import { withDeadline, withFreeDeadline } from "@/lib/runtime/unavailable";
import { MINUTE_MS, SECOND_MS } from "@/lib/time";
import { forward } from "./forward";
import type { AskedPage, CutPage, PageMaker, PageVariant } from "./page-maker";
import { GOES_ON, MAKE_PAGE, type ThreadData, type ThreadNews, type ThreadOrder } from "./thread-words";

/** Longest wait for a thread that starts. */
const START_MS = 15 * SECOND_MS;
/** Longest wait for the end of a thread that was told to end. */
const END_MS = 5 * SECOND_MS;
/** A thread that has not answered for `stuckMs`, while this one was free to hear it, is stuck in a page and ended. */
const WATCH = { everyMs: 5 * SECOND_MS, stuckMs: 15 * SECOND_MS };
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30 * SECOND_MS;
/** Who lived so long has started well: the next pause is a short one again. */
const LIVED_WELL_MS = MINUTE_MS;
/** Room for what is new, in MB, three times a half of it: as good as twice of it, now that it is emptied after each page (decisions 337 and 343). */
const YOUNG_MB = 24;
const OLD_MB = 1_024;

/** No page can be made just now. */
class PagesAwayError extends Error {
  readonly code = "CONNECTION_CLOSED";
}

interface Running {
  thread: Worker;
  line: Line;
  /** Resolves to where it listens; rejects when it ended before. */
  listening: Promise<string>;
  hasListened: boolean;
  ended: Promise<void>;
}

/**
 * The thread that makes pages, so that whoever polls or reports waits for none of them (decision 328). It has a heap of its
 * own: what pages leave behind is cleared away there, and a page that takes too much memory ends that thread alone. It is
 * started again when it ended by itself; meanwhile pages are 503, and everything else goes on.
 */
export class PagesThread implements PageMaker {
  #folder: string | null = null;
  #running: Running | null = null;
  #isResting = false;
  #isEnding = false;
  #pauseMs = FIRST_PAUSE_MS;
  #starts = 0;

  constructor(
    readonly entry: URL = new URL("./pages-thread.mjs", import.meta.url),
    readonly watch: typeof WATCH = WATCH,
  ) {}

  /** Starts the thread. Otherwise it starts when the first page is asked for. */
  start(): void {
    if (this.#running === null && !this.#isResting && !this.#isEnding) this.#running = this.#run();
  }

  async answer(request: IncomingMessage, response: ServerResponse, asked: AskedPage): Promise<void> {
    await forward(await this.#address(), request, response, asked);
  }

  async make(variant: PageVariant): Promise<CutPage> {
    await this.#address();
    const made = await this.#running?.line.ask(MAKE_PAGE, [variant, operated().now.stamp]);
    if (made === undefined) throw new PagesAwayError("the thread made no page");
    // The thread answers with what its maker gives.
    return made as CutPage;
  }

  /** Ends the streams of events, so that their requests do not hold up the end of the process. */
  closeStreams(): void {
    this.#order({ pages: "close-streams" });
  }

  /** Ends the thread, which closes what it has open first. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    this.#order({ pages: "end" });
    const running = this.#running;
    if (running?.hasListened) await withDeadline(running.ended, END_MS).catch(() => undefined);
    await running?.thread.terminate();
  }

  #order(order: ThreadOrder): void {
    this.#running?.thread.postMessage(order);
  }

  #address(): Promise<string> {
    this.start();
    if (this.#running === null) return Promise.reject(new PagesAwayError("no thread makes pages"));
    return withDeadline(this.#running.listening, START_MS);
  }

  #run(): Running {
    const startedAt = performance.now();
    const data: ThreadData = { address: this.#newAddress() };
    const thread = new Worker(this.entry, {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: OLD_MB },
    });
    const line = answerThread(thread);
    let reason = "";
    thread.on("error", (error: Error & { code?: string }) => {
      reason = error.code ?? error.name;
    });
    const ended = new Promise<void>((done) => {
      thread.once("exit", (code) => {
        this.#running = null;
        givePlacesOfThread();
        done();
        if (this.#isEnding) return;
        if (performance.now() - startedAt > LIVED_WELL_MS) this.#pauseMs = FIRST_PAUSE_MS;
        log("error", "the thread that makes pages ended and is started again", {
          reason: reason || String(code),
          ms: this.#pauseMs,
        });
        void this.#restart();
      });
    });
    const listening = new Promise<string>((done, fail) => {
      thread.on("message", (news: ThreadNews | { pages?: undefined }) => {
        if (news.pages === "listening") done(data.address);
      });
      void ended.then(() => fail(new PagesAwayError("the thread ended")));
    });
    const running = { thread, line, listening, ended, hasListened: false };
    listening.then(
      () => {
        running.hasListened = true;
        void this.#endWhenStuck(running);
      },
      // Nobody may be waiting for it.
      () => undefined,
    );
    return running;
  }

  async #endWhenStuck({ thread, line, ended }: Running): Promise<void> {
    let hasEnded = false;
    void ended.then(() => {
      hasEnded = true;
    });
    while (!hasEnded) {
      try {
        await withFreeDeadline(line.ask(GOES_ON, []), this.watch.stuckMs);
      } catch {
        await thread.terminate();
      }
      await pause(this.watch.everyMs, undefined, { ref: false });
    }
  }

  async #restart(): Promise<void> {
    this.#isResting = true;
    await pause(this.#pauseMs, undefined, { ref: false });
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    this.#isResting = false;
    this.start();
  }

  /** A socket that nobody but this user can reach: what comes over it is taken for what the main thread let in. */
  #newAddress(): string {
    this.#folder ??= makeFolder();
    const name = `${this.#starts++}.sock`;
    return process.platform === "win32"
      ? `\\\\.\\pipe\\${this.#folder.replaceAll(/\W+/g, "-")}-${name}`
      : join(this.#folder, name);
  }
}

/** A folder that goes when the process ends, unless it is killed. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "signals-pages-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
