import { setTimeout as pause } from "node:timers/promises";
import { errorFacts, log } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";
import { SECOND_MS } from "@/lib/time";

/**
 * Result of a send. `code` is a short word, because a receiver's texts may quote addresses. `holdMs` pauses the whole
 * channel in this process for that time. `report` is the channel's data about the attempt, which it stores with the
 * outcome.
 */
export type SendResult<R> = { report?: R; holdMs?: number } & (
  | { result: "sent" }
  | Retry
  /** `dead`: given up. `doubtful`: may have arrived, so it is not repeated. `dropped`: must not be sent any more. */
  | { result: "dead" | "doubtful" | "dropped"; code: string }
);

interface Retry {
  result: "retry";
  code: string;
  /** Delay that the receiver requested. */
  retryAfterSeconds?: number | null;
  /** The receiver requested a pause, or has a new address: the attempt does not count. */
  isUncounted?: boolean;
}

/**
 * Pause of a channel, in ms, after a send that may have arrived. Such a message is not repeated, so without the pause
 * an outage of the receiver could lose all messages of the queue.
 */
export const DOUBTFUL_SEND_PAUSE_MS = 30 * SECOND_MS;

/** The outcome of a send as `settle` stores it, with the delay until the next attempt. */
export type SettledSend<R> = { report?: R } & (
  | { state: "sent" }
  | { state: "pending"; code: string; delayMs: number; isUncounted: boolean }
  | { state: "dead" | "doubtful" | "dropped"; code: string }
);

/**
 * A way to send messages to recipients outside. Each channel implements its queue (`lease`, `settle`), its messages and
 * its limits; `deliverDueItems` runs it.
 *
 * | promise                | where it is implemented                                                |
 * ------------------------|------------------------------------------------------------------------|
 * | rate limit             | `lanes`, `gapMs`, `holdMs` of an outcome                               |
 * | order for a recipient  | `lease` returns one item of a recipient at a time, in order            |
 * | priority               | `lease` returns the most urgent item first                             |
 * | retries, giving up     | `retryMs`                                                              |
 * | quiet hours, scope     | `write`, which checks them at the time of sending                      |
 * | no repeat in doubt     | `send` returns `doubtful`; items of a dead process are marked likewise |
 */
export interface Channel<Item, Message, R = never> {
  name: string;
  /** Concurrent sends per lane. Failing recipients have a separate lane, so that they do not delay others. */
  lanes: readonly number[];
  /** Shortest pause between two sends, in ms; 0: none. */
  gapMs: number;
  /** Leases up to `limit` due items of a lane. A lease lasts longer than a send. */
  lease(lane: number, limit: number): Promise<Item[]>;
  /** Writes the message, or returns why it is not sent. */
  write(item: Item): Promise<{ message: Message } | Exclude<SendResult<R>, { result: "sent" }>>;
  send(item: Item, message: Message): Promise<SendResult<R>>;
  /** Delay until the next attempt, in ms; null gives up. */
  retryMs(item: Item, failure: Retry & { report?: R }): number | null;
  /** Stores an item's outcome. */
  settle(item: Item, end: SettledSend<R>): Promise<void>;
}

/** Polling interval while sends are in progress, because more items may become due. */
const LOOK_AGAIN_MS = 200;

/**
 * Sends due items of a channel until none are left or `signal` aborts; returns the number of sends. If an item fails
 * with an error, for example because its outcome cannot be stored, that is logged and the item's lease expires; a
 * channel that sends one item at a time ends its run with the error instead.
 */
export async function deliverDueItems<Item, Message, R>(
  channel: Channel<Item, Message, R>,
  signal: AbortSignal,
): Promise<number> {
  const throttle = throttleOf(channel.name);
  const lanes = channel.lanes.map((places) => ({ places, underWay: new Set<Promise<void>>() }));
  const isSingle = channel.lanes.length === 1 && channel.lanes[0] === 1;
  let sends = 0;
  let failure: { error: unknown } | null = null;

  const start = (item: Item, { underWay }: (typeof lanes)[number]) => {
    const turn: Promise<void> = serve(channel, item, throttle)
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
  /** Starts sends until the lane is full or no item is due. Returns whether any was started. */
  const fill = async (lane: (typeof lanes)[number], number: number): Promise<boolean> => {
    for (let started = false; ; started = true) {
      const free = lane.places - lane.underWay.size;
      if (free === 0 || !(await passed(throttle, signal))) return started;
      const limit = channel.gapMs > 0 ? 1 : free;
      const items = await channel.lease(number, limit);
      if (items.length > 0) advance(throttle, channel.gapMs);
      for (const item of items) start(item, lane);
      if (items.length < limit) return started || items.length > 0;
    }
  };

  for (;;) {
    // A send that ends during the query may make items due that the query has missed: then the loop runs once more.
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
    // The cast is needed because the compiler does not see that a callback sets the variable.
    const failed = failure as { error: unknown } | null;
    if (failed !== null) throw failed.error;
    if (turns.length === 0 && !hasStarted && !wasAtWork) return sends;
  }
}

interface Throttle {
  /** Earliest start of the next send, by the monotonic clock. */
  nextAtMs: number;
}

const throttleOf = (name: string) =>
  processWide<Throttle>(`channel-throttle/${name}`, () => ({ nextAtMs: 0 }));

/** Delays the next start by `ms`. */
function advance(throttle: Throttle, ms: number): void {
  throttle.nextAtMs = Math.max(throttle.nextAtMs, performance.now() + ms);
}

/** Waits until the rate limit allows a send. Returns false if `signal` has aborted. */
async function passed(throttle: Throttle, signal: AbortSignal): Promise<boolean> {
  const waitMs = throttle.nextAtMs - performance.now();
  if (waitMs > 0 && !signal.aborted) await pause(waitMs, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

/** Processes one item. Returns whether a send was attempted. */
async function serve<Item, Message, R>(
  channel: Channel<Item, Message, R>,
  item: Item,
  throttle: Throttle,
): Promise<boolean> {
  const written = await channel.write(item);
  // The gap starts again here, because it is between two sends and writing the message took time.
  if ("message" in written) advance(throttle, channel.gapMs);
  const outcome = "message" in written ? await channel.send(item, written.message) : written;
  advance(throttle, outcome.holdMs ?? 0);
  await channel.settle(item, settledOf(channel, item, outcome));
  return "message" in written;
}

function settledOf<Item, Message, R>(
  channel: Channel<Item, Message, R>,
  item: Item,
  outcome: SendResult<R>,
): SettledSend<R> {
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
