import { setImmediate as nextTurn } from "node:timers/promises";
import { db } from "@/db/client";
import { notificationListener } from "@/db/notifications";
import type { StateVersions } from "@/db/queries/keys";
import { readWatchedState, type WatchedState } from "@/db/queries/watched-state";
import type { ApiKey } from "@/lib/access/api-key";
import { keyAtSnapshot, recheckKey } from "@/lib/api/require-api-key";
import { env } from "@/lib/runtime/env";
import { errorFacts, log } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";
import type { GaugeReading } from "@/lib/runtime/prometheus";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { heartbeatBuffer, newestUnwrittenCalls } from "@/lib/subscribers/heartbeat";
import { type LiveState, liveStates } from "@/lib/subscribers/live-state";
import { AppError } from "@/lib/wire/errors";

/** Maximum number of open long polls and streams per process, because of memory and sockets. */
const OPEN_PER_PROCESS = 20_000;

/** An open long poll or stream of an API key. */
export interface OpenRequest {
  readonly way: "wait" | "stream";
  /** The key as of its latest look-up, which the hub replaces. */
  key: ApiKey;
  /**
   * Called when signals, models, or the key or its plans changed and the key is still valid. Resolves when the request
   * has handled the change.
   */
  moved(): Promise<void>;
  /** Called when the key is no longer valid. */
  ended(reason: AppError): void;
  /** Called when the process is stopping. */
  stopped(): void;
}

/** An open page of a subscriber's portal. */
export interface OpenPage {
  readonly subscriptionId: number;
  /** Called with every state that the hub reads, whether it changed or not. */
  send(state: LiveState): void;
  /** Called when the process is stopping. */
  stopped(): void;
}

const CHECK_MS = 1_000;
/** After this time without a change, the next check counts an open request as a call of its trading client. */
const LIFE_SIGN_MS = 15_000;
/** Number of requests that are notified together, so that one statement looks up their changed keys. */
const BATCH = 250;
const MAX_PAGES = 2_000;
/** After this many changes that were found without a notification, the listening connection is replaced. */
const UNHEARD_MOVES = 3;

/**
 * Delivers changes to all open requests of this process: long polls, streams and live pages of the portal.
 *
 * One statement every second, and one after each notification, reads the shared state and the state of the keys and
 * subscriptions of all open requests, from one snapshot. A key with a new revision is looked up again first; all other
 * requests get the state of that snapshot. So no request shows a signal that was committed after its key ended or its
 * scope was narrowed. Without open requests nothing runs.
 */
class ChangeHub {
  readonly #requests = new Set<OpenRequest>();
  readonly #pages = new Set<OpenPage>();
  readonly #openByKey = new Map<number, number>();
  #timer: NodeJS.Timeout | null = null;
  #stopListening: () => void = () => undefined;
  #isChecking = false;
  #checkAgain = false;
  #isStopping = false;
  /** Newest version of the signals that the hub has read. */
  #newest = 0;
  /** Lowest version of the signals among requests that were added since the last statement began. */
  #lowestAdded = Number.POSITIVE_INFINITY;
  /** Number of changes that were found since the last notification. */
  #moves = 0;

  /** Whether the process is stopping, so that new requests may not wait. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Number of open long polls and streams. */
  get size(): number {
    return this.#requests.size;
  }

  /** Whether no further live page may be added: the limit is reached, or the process is stopping. */
  get isFullOfPages(): boolean {
    return this.#isStopping || this.#pages.size >= MAX_PAGES;
  }

  count(way: OpenRequest["way"]): number {
    return [...this.#requests].filter((request) => request.way === way).length;
  }

  /**
   * Delivers changes to this request until the returned function is called. Throws 429 if its key has too many open
   * requests, and 503 if this process has too many or is stopping.
   */
  addRequest(request: OpenRequest): () => void {
    const { keyId, versions } = request.key;
    const open = this.#openByKey.get(keyId) ?? 0;
    if (open >= env().openPerKey) throw new AppError("too_many_open", { headers: { "Retry-After": "15" } });
    if (this.#isStopping || this.#requests.size >= OPEN_PER_PROCESS)
      throw new AppError("unavailable", { headers: { "Retry-After": this.#isStopping ? "2" : "10" } });
    this.#openByKey.set(keyId, open + 1);
    this.#requests.add(request);
    this.#start();
    this.#lowestAdded = Math.min(this.#lowestAdded, versions.signals);
    // A change after this request's key was looked up was delivered only to requests that were open at that time.
    if (versions.signals < this.#newest) this.#check();
    return () => {
      if (!this.#requests.delete(request)) return;
      const left = (this.#openByKey.get(keyId) ?? 1) - 1;
      if (left > 0) this.#openByKey.set(keyId, left);
      else this.#openByKey.delete(keyId);
      this.#restIfEmpty();
    };
  }

  /** Sends the state to this page, at once and after each read, until the returned function is called. */
  addPage(page: OpenPage): () => void {
    this.#pages.add(page);
    this.#start();
    this.#check();
    return () => {
      this.#pages.delete(page);
      this.#restIfEmpty();
    };
  }

  /** Ends all open requests and pages, before the process ends. Further ones are refused. */
  stop(): void {
    this.#isStopping = true;
    for (const open of [...this.#requests, ...this.#pages]) open.stopped();
  }

  #start(): void {
    if (this.#timer !== null) return;
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
    this.#stopListening = notificationListener().listen("signals", () => {
      this.#moves = 0;
      this.#check();
    });
    // Finds changes that were made before the listening connection was open.
    this.#check();
  }

  #restIfEmpty(): void {
    if (this.#timer === null || this.#requests.size + this.#pages.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#stopListening();
  }

  /**
   * Starts a check of the shared state, or another one after the running check, which may lack a change that was
   * announced during it.
   */
  #check(): void {
    this.#checkAgain = true;
    if (!this.#isChecking) void this.#checkWhileAsked();
  }

  async #checkWhileAsked(): Promise<void> {
    this.#isChecking = true;
    try {
      while (this.#checkAgain && this.#timer !== null) {
        this.#checkAgain = false;
        await this.#checkAll();
      }
    } catch (error) {
      // The next check, a second later, tries again.
      noteFailure(error);
    } finally {
      this.#isChecking = false;
    }
  }

  async #checkAll(): Promise<void> {
    const requests = [...this.#requests];
    const pages = [...this.#pages];
    const subscriptionIds = [...new Set(pages.map(({ subscriptionId }) => subscriptionId))];
    // Read before the statement, because a call that is written to the database in between is then in the statement's
    // result.
    const unwritten =
      pages.length > 0 ? await newestUnwrittenCalls(subscriptionIds) : new Map<number, Date>();
    this.#lowestAdded = Number.POSITIVE_INFINITY;
    const keyIds = requests.map(({ key }) => key.keyId);
    const changes = await readWatchedState(db(), { keyIds, subscriptionIds });
    this.#noteVersion(changes.versions);
    const states = liveStates(changes, unwritten);
    for (const page of pages) {
      const state = states.get(page.subscriptionId);
      if (state !== undefined && this.#pages.has(page)) page.send(state);
    }
    await this.#tell(requests, changes);
  }

  #noteVersion({ signals }: StateVersions): void {
    if (this.#lowestAdded < signals) this.#checkAgain = true;
    const isMove = this.#newest > 0 && signals > this.#newest;
    this.#newest = signals;
    if (!isMove || ++this.#moves < UNHEARD_MOVES) return;
    this.#moves = 0;
    notificationListener().renew();
  }

  async #tell(requests: OpenRequest[], changes: WatchedState): Promise<void> {
    const changed: OpenRequest[] = [];
    const behind: OpenRequest[] = [];
    for (const [n, request] of requests.entries()) {
      const { key } = request;
      const isOtherPlan = key.plansUntil !== null && key.plansUntil <= changes.at;
      if (changes.revisions[n] !== key.revision || isOtherPlan) changed.push(request);
      else if (isBehind(key, changes.versions)) behind.push(request);
      else if (changes.at.getTime() - key.seenAt.getTime() >= LIFE_SIGN_MS) renew(request, changes);
    }
    // Loads the plans, on which the scopes of the keys depend.
    await settingsCache().get();
    await this.#inBatches(changed, tellAfterLookup);
    await this.#inBatches(behind, (request) => {
      renew(request, changes);
      return request.moved();
    });
  }

  /**
   * Calls `tell` for each of the requests that is still open, in batches, so that other requests are answered in
   * between.
   */
  async #inBatches(requests: OpenRequest[], tell: (request: OpenRequest) => Promise<void>): Promise<void> {
    for (let from = 0; from < requests.length; from += BATCH) {
      const batch = requests.slice(from, from + BATCH).filter((request) => this.#requests.has(request));
      await Promise.all(batch.map((request) => tell(request).catch(noteFailure)));
      await nextTurn();
    }
  }
}

const isBehind = ({ versions }: ApiKey, { signals, models }: StateVersions): boolean =>
  versions.signals !== signals || versions.models !== models;

/** Updates an open request's key to a snapshot, and records a call of its trading client. */
function renew(request: OpenRequest, changes: WatchedState): void {
  request.key = keyAtSnapshot(request.key, changes);
  const { keyId, subscriptionId } = request.key;
  heartbeatBuffer().note(keyId, subscriptionId, changes.at, () => ({ client: null, address: null }), 0);
}

/**
 * Looks a changed key up again, then notifies its request, or ends it if the key is no longer valid. If the look-up
 * fails, the next check repeats it.
 */
async function tellAfterLookup(request: OpenRequest): Promise<void> {
  try {
    request.key = await recheckKey(request.key);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.status === 401) request.ended(error);
    return;
  }
  await request.moved();
}

const noteFailure = (error: unknown) =>
  log("warn", "could not notify open requests of changes", { error: errorFacts(error) });

/** The hub of this process. */
export function changeHub(): ChangeHub {
  return processWide("change-hub", () => new ChangeHub());
}

/** Gauges of the open long polls and streams. */
export function openRequestGauges(): GaugeReading[] {
  return [
    {
      name: "open_requests",
      help: "Requests that wait for a signal or stream them, by way.",
      values: [
        { labels: { way: "wait" }, value: changeHub().count("wait") },
        { labels: { way: "stream" }, value: changeHub().count("stream") },
      ],
    },
  ];
}
