import { setTimeout as pause } from "node:timers/promises";
import { errorFacts, log } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";

/** What became of a send. Codes are short words: the texts of a receiver may quote addresses. */
export type Outcome<R> = { report?: R } & (
  | { result: "sent" }
  | Retry
  /** `doubtful`: it may have arrived and is not repeated. `dropped`: it must not leave any more. */
  | { result: "dead" | "doubtful" | "dropped"; code: string }
);

interface Retry {
  result: "retry";
  code: string;
  /** The receiver's own wish. */
  retryAfterSeconds?: number | null;
  /** Nothing at all leaves by this channel before, in ms. */
  holdMs?: number;
  /** The receiver only asked to wait: the try does not count. */
  isUncounted?: boolean;
}

/** What `settle` stores: the outcome, with the pause before the next try. */
export type Settled<R> = { report?: R } & (
  | { state: "sent" }
  | { state: "pending"; code: string; delayMs: number; isUncounted: boolean }
  | { state: "dead" | "doubtful" | "dropped"; code: string }
);

/**
 * A way in which messages leave. Each channel keeps its own queue (`lease`, `settle`), declares the rest, and `deliver` does
 * it.
 *
 * | promise                | where it is kept                                                       |
 * |------------------------|------------------------------------------------------------------------|
 * | pace                   | `lanes`, `gapMs`, `holdMs` of an outcome                               |
 * | order for a recipient  | `lease` hands out one item of a recipient at a time, in order          |
 * | priority               | `lease` hands out the most urgent item first                           |
 * | retries, giving up     | `retryMs`                                                              |
 * | quiet hours, scope     | `write`, as of the moment at which the message leaves                  |
 * | at most once in doubt  | `send` answers `doubtful`, and `lease` marks items that a dead process held |
 */
export interface Channel<Item, Message, R = never> {
  name: string;
  /** Sends that are under way at once, by lane. A separate lane for failing recipients keeps them from delaying others. */
  lanes: readonly number[];
  /** Shortest pause between two sends, in ms; 0: none. */
  gapMs: number;
  /** Takes up to `limit` items that are due, each held by a lease or a mark that outlives the send. */
  lease(lane: number, limit: number): Promise<Item[]>;
  /** Makes the message, or says why it does not leave. */
  write(item: Item): Promise<{ message: Message } | Exclude<Outcome<R>, { result: "sent" }>>;
  send(item: Item, message: Message): Promise<Outcome<R>>;
  /** Pause before the next try, in ms; null gives up. */
  retryMs(item: Item, failure: Retry & { report?: R }): number | null;
  /** Stores what became of an item, unless another worker has taken it over. */
  settle(item: Item, end: Settled<R>): Promise<void>;
}

/** Others become due while one is waited for. */
const LOOK_AGAIN_MS = 200;

/**
 * Sends what is due through a channel until nothing is, or until `signal` aborts; returns how many sends were made. An item
 * that cannot be settled is logged and its lease runs out; a channel with a single place ends its run with the error.
 */
export async function deliver<Item, Message, R>(
  channel: Channel<Item, Message, R>,
  signal: AbortSignal,
): Promise<number> {
  const pace = paceOf(channel.name);
  const lanes = channel.lanes.map((places) => ({ places, underWay: new Set<Promise<void>>() }));
  const isSingle = channel.lanes.length === 1 && channel.lanes[0] === 1;
  let sends = 0;
  let failure: { error: unknown } | null = null;

  const start = (item: Item, { underWay }: (typeof lanes)[number]) => {
    const turn: Promise<void> = serve(channel, item, pace)
      .then((isSent) => {
        if (isSent) sends++;
      })
      .catch((error) => {
        if (isSingle) failure = { error };
        else log("warn", "a delivery could not be settled", { job: channel.name, error: errorFacts(error) });
      })
      .finally(() => underWay.delete(turn));
    underWay.add(turn);
  };
  /** Fills a lane. Returns whether anything was started. */
  const fill = async (lane: (typeof lanes)[number], number: number): Promise<boolean> => {
    for (let started = false; ; started = true) {
      const free = lane.places - lane.underWay.size;
      if (free === 0 || !(await passed(pace, signal))) return started;
      const limit = channel.gapMs > 0 ? 1 : free;
      const items = await channel.lease(number, limit);
      if (items.length > 0) advance(pace, channel.gapMs);
      for (const item of items) start(item, lane);
      if (items.length < limit) return started || items.length > 0;
    }
  };

  for (;;) {
    // A turn that ends during the look may leave something due that the look has not seen.
    const wasAtWork = lanes.some(({ underWay }) => underWay.size > 0);
    let hasStarted = false;
    for (const [number, lane] of lanes.entries()) if (await fill(lane, number)) hasStarted = true;
    const turns = lanes.flatMap(({ underWay }) => [...underWay]);
    if (turns.length > 0) {
      const look = new AbortController();
      const again = pause(LOOK_AGAIN_MS, undefined, { signal: look.signal }).catch(() => undefined);
      await Promise.race([...turns, again]);
      look.abort();
    }
    // A turn sets it, which the compiler cannot see.
    const failed = failure as { error: unknown } | null;
    if (failed !== null) throw failed.error;
    if (turns.length === 0 && !hasStarted && !wasAtWork) return sends;
  }
}

interface Pace {
  /** When the next send may start, on the monotonic clock. */
  nextAtMs: number;
}

const paceOf = (name: string) => processWide<Pace>(`channel-pace/${name}`, () => ({ nextAtMs: 0 }));

/** Lets nothing start within the next `ms`. */
function advance(pace: Pace, ms: number): void {
  pace.nextAtMs = Math.max(pace.nextAtMs, performance.now() + ms);
}

/** Waits for the next place in the pace. false: the worker stops. */
async function passed(pace: Pace, signal: AbortSignal): Promise<boolean> {
  const waitMs = pace.nextAtMs - performance.now();
  if (waitMs > 0 && !signal.aborted) await pause(waitMs, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

/** One turn of an item. Returns whether it was sent, with whatever result. */
async function serve<Item, Message, R>(
  channel: Channel<Item, Message, R>,
  item: Item,
  pace: Pace,
): Promise<boolean> {
  const written = await channel.write(item);
  // Again, since writing took its time: the gap lies between two sends.
  if ("message" in written) advance(pace, channel.gapMs);
  const outcome = "message" in written ? await channel.send(item, written.message) : written;
  if (outcome.result === "retry") advance(pace, outcome.holdMs ?? 0);
  await channel.settle(item, settledOf(channel, item, outcome));
  return "message" in written;
}

function settledOf<Item, Message, R>(
  channel: Channel<Item, Message, R>,
  item: Item,
  outcome: Outcome<R>,
): Settled<R> {
  const { report } = outcome;
  const reported = report === undefined ? {} : { report };
  if (outcome.result === "sent") return { ...reported, state: "sent" };
  const { code } = outcome;
  if (outcome.result !== "retry") return { ...reported, state: outcome.result, code };
  const delayMs = channel.retryMs(item, outcome);
  return delayMs === null
    ? { ...reported, state: "dead", code }
    : { ...reported, state: "pending", code, delayMs, isUncounted: outcome.isUncounted === true };
}
