import { setImmediate as nextTurn } from "node:timers/promises";
import { db } from "@/db/client";
import { notifications } from "@/db/notifications";
import { findEndedKeys, readStandings, type StateVersions } from "@/db/queries/keys";
import type { ApiKey } from "@/lib/access/api-key";
import { lookAgain, renewed } from "@/lib/api/require-api-key";
import { env } from "@/lib/runtime/env";
import { errorFacts, log } from "@/lib/runtime/log";
import { operated } from "@/lib/runtime/operated";
import { type GiveBack, takePlace } from "@/lib/runtime/places";
import { processWide } from "@/lib/runtime/process-wide";
import { inEachProcess } from "@/lib/runtime/processes";
import type { GaugeReading } from "@/lib/runtime/prometheus";
import { heartbeats } from "@/lib/subscribers/heartbeat";
import { AppError } from "@/lib/wire/errors";

/** An open request: a wait or a stream. */
export interface Watcher {
  /** Its key as it was last looked up. */
  key: ApiKey;
  /** Reads what all who are told of the same state share. It is called once for each such function, before any is told. */
  readonly prepare: (versions: StateVersions) => Promise<unknown>;
  /** The shared state moved, and the key, looked up again, still works. */
  moved(key: ApiKey): void;
  /** The key works no more. */
  ended(reason: AppError): void;
  /** The process stops. */
  stopped(): void;
  /** Every fifteen seconds. */
  beat?(): void;
}

export interface OpenCounts {
  waits: number;
  streams: number;
}

interface Place {
  watcher: Watcher;
  /** In which second of the fifteen it beats. */
  turn: number;
}

const TICK_MS = 1_000;
const BEAT_TICKS = 15;
/** As many as one statement of the look-ups holds, so that other requests wait for one of them at most. */
const LOOKED_UP_TOGETHER = 500;
/** Of so many one statement says how they stand, so that the first are told while it says the rest. */
const READ_TOGETHER = 2_000;
/** Told without a pause; other requests wait for as many at most. Few enough for what they touch to stay in the caches. */
const TOLD_TOGETHER = 50;
/** Moves that were read and no notification told of, after which the connection that hears them is renewed. */
const UNHEARD_MOVES = 2;

/**
 * Watches over the keys of all open requests of this process (decision "One watch over all open requests").
 *
 * A notification, or a statement a second that also finds ended keys, tells that the shared state moved. Then one
 * statement says of every key whether it is as it was, in the same snapshot as the state, and those that are not are looked
 * up again, before anything is sent to their requests: nobody is shown a signal by a key that had ended or a scope that was
 * narrowed before. Without open requests nothing runs.
 */
class KeyWatch {
  readonly #places = new Set<Place>();
  readonly #openByKey = new Map<number, number>();
  #timer: NodeJS.Timeout | null = null;
  #stopListening: () => void = () => undefined;
  #ticks = 0;
  #turns = 0;
  #isTicking = false;
  #isLooking = false;
  #lookAgain = false;
  #isTelling = false;
  /** What goes on when those who are being told have been told. */
  #later: (() => void)[] = [];
  #isStopping = false;
  /** The newest version that a statement showed. */
  #newest = 0;
  #wasTold = false;
  #unheard = 0;

  /** Whether the process stops: nothing new may wait. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Whether requests are being told of a move. */
  get isTelling(): boolean {
    return this.#isTelling;
  }

  /**
   * Calls back when those who are being told of a move have been told, with as many others at a time as were told without
   * a pause; at once when nobody is.
   */
  afterTelling(goOn: () => void): void {
    if (this.#isTelling) this.#later.push(goOn);
    else goOn();
  }

  /** Resolves when nobody is being told of a move: for work on what they all need that can wait. */
  async whenAllAreTold(): Promise<void> {
    if (this.isTelling) await new Promise<void>((goOn) => this.afterTelling(goOn));
  }

  /** Those open at this moment: only streams have something to say every fifteen seconds. */
  get counts(): OpenCounts {
    const streams = [...this.#places].filter(({ watcher }) => watcher.beat !== undefined).length;
    return { streams, waits: this.#places.size - streams };
  }

  /**
   * Watches for this request until the returned function is called. Throws when the process has too many open already;
   * how many its key has open is counted before (`takeOpenPlace`).
   */
  add(watcher: Watcher): () => void {
    const { keyId } = watcher.key;
    const open = this.#openByKey.get(keyId) ?? 0;
    if (this.#isStopping || this.#places.size >= env().openPerProcess)
      throw new AppError("unavailable", { headers: { "Retry-After": this.#isStopping ? "2" : "10" } });
    const place = { watcher, turn: this.#turns++ % BEAT_TICKS };
    this.#openByKey.set(keyId, open + 1);
    this.#places.add(place);
    this.#start(place);
    return () => {
      if (!this.#places.delete(place)) return;
      const left = (this.#openByKey.get(keyId) ?? 1) - 1;
      if (left > 0) this.#openByKey.set(keyId, left);
      else this.#openByKey.delete(keyId);
      if (this.#places.size === 0) this.#rest();
    };
  }

  /** Ends every open request; called before the process ends. */
  stop(): void {
    this.#isStopping = true;
    for (const { watcher } of [...this.#places]) watcher.stopped();
  }

  #start(place: Place): void {
    // A move between its key's look-up and now was told to the others alone.
    if (place.watcher.key.versions.signals < this.#newest) this.#lookUp([place]).catch(noteFailure);
    if (this.#timer) return;
    this.#timer = setInterval(() => void this.#tick(), TICK_MS);
    this.#stopListening = notifications().listen("signals", () => {
      this.#wasTold = true;
      this.#look();
    });
    // The same before notifications are heard.
    void this.#tick();
  }

  #rest(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#stopListening();
  }

  async #tick(): Promise<void> {
    const tick = ++this.#ticks;
    for (const { watcher, turn } of this.#places) if (tick % BEAT_TICKS === turn) watcher.beat?.();
    if (this.#isTicking) return;
    this.#isTicking = true;
    try {
      // Asking the database of thousands of keys would be in the way of those who are being told.
      await this.whenAllAreTold();
      const ids = [...this.#openByKey.keys()];
      const state = await findEndedKeys(db(), ids);
      this.#noteSignsOfLife(state.at, tick);
      if (state.ended.length > 0) {
        const ended = new Set(state.ended);
        await this.#lookUp([...this.#places].filter(({ watcher }) => ended.has(watcher.key.keyId)));
      }
      const isBehind = ({ watcher: { key } }: Place) =>
        key.versions.signals < state.signals || key.versions.models < state.models;
      this.#judgeHearing(state.signals);
      const behind = [...this.#places].filter(isBehind);
      if (behind.length > 0 && !this.#isLooking) await this.#tell(behind);
    } catch (error) {
      noteFailure(error);
    } finally {
      this.#isTicking = false;
    }
  }

  /** Another connection for notifications when moves are read that none told of. */
  #judgeHearing(signals: number): void {
    const isMove = this.#newest > 0 && signals > this.#newest && !this.#wasTold;
    this.#newest = Math.max(this.#newest, signals);
    this.#wasTold = false;
    if (!isMove || ++this.#unheard < UNHEARD_MOVES) return;
    this.#unheard = 0;
    notifications().renew();
  }

  /** A request that waits is a client that is there: as with a poll every quarter of a minute. */
  #noteSignsOfLife(at: Date, tick: number): void {
    for (const { watcher, turn } of this.#places) {
      const { keyId, subscriptionId } = watcher.key;
      if (tick % BEAT_TICKS === turn)
        heartbeats().note(keyId, subscriptionId, at, () => ({ client: null, address: null }), 0);
    }
  }

  /** Tells every watcher. One round at a time; a move during a round brings another. */
  #look(): void {
    if (this.#isLooking) {
      this.#lookAgain = true;
      return;
    }
    this.#isLooking = true;
    void this.#rounds()
      .catch(noteFailure)
      .finally(() => {
        this.#isLooking = false;
      });
  }

  async #rounds(): Promise<void> {
    do {
      this.#lookAgain = false;
      this.#isTelling = true;
      try {
        await this.#tell([...this.#places]);
      } finally {
        this.#isTelling = false;
        void this.#letOthersGoOn();
      }
    } while (this.#lookAgain && this.#places.size > 0);
  }

  async #letOthersGoOn(): Promise<void> {
    const others = this.#later;
    this.#later = [];
    for (const [n, goOn] of others.entries()) {
      if (n % TOLD_TOGETHER === TOLD_TOGETHER - 1) await nextTurn();
      goOn();
    }
  }

  /**
   * Tells those whose keys are as they were, and looks the others up. The database says of the next how they stand while
   * those before them are told.
   */
  async #tell(places: Place[]): Promise<void> {
    await operated().get();
    const changed: Place[] = [];
    let coming = standingsOf(places.slice(0, READ_TOGETHER));
    for (let from = 0; from < places.length; from += READ_TOGETHER) {
      const standing = await coming;
      const after = from + READ_TOGETHER;
      if (after < places.length) coming = standingsOf(places.slice(after, after + READ_TOGETHER));
      // Whoever reads next meets the failure; it is no unhandled one until then.
      coming.catch(() => undefined);
      changed.push(...(await this.#tellStanding(places.slice(from, after), standing)));
    }
    await this.#lookUp(changed);
  }

  /**
   * Tells those who stand as before, and returns the others. What they are told is read before: else all would wait for
   * it, then go on together, and the first of them would be answered no sooner than the last.
   */
  async #tellStanding(places: Place[], standing: Standings): Promise<Place[]> {
    this.#newest = Math.max(this.#newest, standing.versions.signals);
    const preparations = new Set(places.map(({ watcher }) => watcher.prepare));
    // Those who are told meet a failure themselves.
    await Promise.allSettled([...preparations].map((prepare) => prepare(standing.versions)));
    const changed: Place[] = [];
    for (const [n, place] of places.entries()) {
      if (n % TOLD_TOGETHER === TOLD_TOGETHER - 1) await nextTurn();
      // It may have been told of a later state meanwhile.
      const isLater = place.watcher.key.versions.signals > standing.versions.signals;
      if (isLater || !this.#places.has(place)) continue;
      const mark = standing.marks[n] ?? "";
      if (mark === "" || mark !== place.watcher.key.mark) changed.push(place);
      else {
        place.watcher.key = renewed(place.watcher.key, standing);
        place.watcher.moved(place.watcher.key);
      }
    }
    return changed;
  }

  /** A watcher whose look-up failed is behind, and the next tick finds it. */
  async #lookUp(places: Place[]): Promise<void> {
    for (let from = 0; from < places.length; from += LOOKED_UP_TOGETHER) {
      const some = places.slice(from, from + LOOKED_UP_TOGETHER).filter((place) => this.#places.has(place));
      await Promise.all(some.map(({ watcher }) => this.#lookUpOne(watcher)));
    }
  }

  async #lookUpOne(watcher: Watcher): Promise<void> {
    try {
      const key = await lookAgain(watcher.key);
      this.#newest = Math.max(this.#newest, key.versions.signals);
      watcher.key = key;
      watcher.moved(key);
    } catch (error) {
      if (error instanceof AppError && error.status === 401) watcher.ended(error);
      else if (!(error instanceof AppError)) throw error;
    }
  }
}

type Standings = Awaited<ReturnType<typeof readStandings>>;

const standingsOf = (places: Place[]): Promise<Standings> =>
  readStandings(
    db(),
    places.map(({ watcher }) => watcher.key.keyId),
  );

const noteFailure = (error: unknown) =>
  log("warn", "open requests could not be looked after", { error: errorFacts(error) });

/** Takes one of the places that a key has for requests which stay open, over all processes of this port. */
export async function takeOpenPlace(keyId: number): Promise<GiveBack> {
  const giveBack = await takePlace(`open:${keyId}`, env().openPerKey);
  if (giveBack === null) throw new AppError("too_many_open", { headers: { "Retry-After": "15" } });
  return giveBack;
}

export function keyWatch(): KeyWatch {
  return processWide("key-watch", () => new KeyWatch());
}

const openInEach = inEachProcess("open-requests", () => keyWatch().counts);

/** How many requests wait or stream at this moment, over all processes of this port. */
export async function openRequestGauges(): Promise<GaugeReading[]> {
  const counts = await openInEach();
  const sum = (way: keyof OpenCounts) => counts.reduce((n, each) => n + each[way], 0);
  return [
    {
      name: "open_requests",
      help: "Requests that wait for a signal or stream them, by way.",
      values: [
        { labels: { way: "wait" }, value: sum("waits") },
        { labels: { way: "stream" }, value: sum("streams") },
      ],
    },
  ];
}
