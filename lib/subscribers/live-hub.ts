import { db } from "@/db/client";
import { notifications } from "@/db/notifications";
import { readLiveState } from "@/db/queries/heartbeats";
import { errorFacts, log } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";
import { laterOf } from "@/lib/time";
import type { EaStateName } from "@/lib/vocabulary";
import { eaStateAt } from "./ea-state";
import { newestCalls } from "./heartbeat";

/** The state that is sent to an open portal page. */
export interface LiveState {
  /** When it was read: an open page that hears nothing newer says how old it is. */
  at: string;
  /** Version of the shared signals. */
  signals: number;
  /** Version of the subscription's executions. */
  executions: number;
  ea: { status: EaStateName; lastSeenAt: string | null };
}

interface Listener {
  subscriptionId: number;
  send(state: LiveState): void;
  close(): void;
}

const TICK_MS = 1_000;
const MOST_PER_PROCESS = 2_000;

/**
 * Tells open portal pages of new signals, and of the calls and reports of their trading client. One connection listens
 * for all pages of this process, and one statement a second reads what all of them need (decision 87). Without open
 * pages nothing runs.
 */
class LiveHub {
  readonly #listeners = new Set<Listener>();
  #stopListening: () => void = () => undefined;
  #timer: NodeJS.Timeout | null = null;
  #isReading = false;
  #readAgain = false;

  /** Whether this process has as many open as it may. */
  get isFull(): boolean {
    return this.#listeners.size >= MOST_PER_PROCESS;
  }

  /**
   * Sends the state now and each time it was read, until the returned function is called. While the database does not
   * answer nothing is sent.
   */
  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#start();
    void this.#read();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  /** Ends every open stream; called before the process ends. */
  close(): void {
    for (const listener of [...this.#listeners]) listener.close();
    this.#stop();
  }

  #start(): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => void this.#read(), TICK_MS);
    // The notification only saves time: the statement that runs each second finds the same change.
    this.#stopListening = notifications().listen("signals", () => void this.#read());
  }

  #stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#stopListening();
  }

  /**
   * One reading at a time. A change that is announced while one is under way may not be in it, so another reading
   * follows.
   */
  async #read(): Promise<void> {
    if (this.#isReading) {
      this.#readAgain = true;
      return;
    }
    this.#isReading = true;
    try {
      do {
        this.#readAgain = false;
        await this.#tell();
      } while (this.#readAgain);
    } catch (error) {
      log("warn", "live state could not be read", { error: errorFacts(error) });
    } finally {
      this.#isReading = false;
    }
  }

  async #tell(): Promise<void> {
    const ids = [...new Set([...this.#listeners].map((listener) => listener.subscriptionId))];
    if (ids.length === 0) return;
    const states = await readStates(ids);
    for (const listener of this.#listeners) {
      const state = states.get(listener.subscriptionId);
      if (state) listener.send(state);
    }
  }
}

async function readStates(subscriptionIds: number[]): Promise<Map<number, LiveState>> {
  const [{ signals, subscriptions }, unwritten] = await Promise.all([
    readLiveState(db(), subscriptionIds),
    newestCalls(subscriptionIds),
  ]);
  const now = new Date();
  return new Map(
    subscriptionIds.map((id): [number, LiveState] => {
      const stored = subscriptions.get(id);
      const seen = laterOf(stored?.lastSeenAt ?? null, unwritten.get(id) ?? null);
      return [
        id,
        {
          at: now.toISOString(),
          signals,
          executions: stored?.executions ?? 0,
          ea: { status: eaStateAt(seen, now).status, lastSeenAt: seen?.toISOString() ?? null },
        },
      ];
    }),
  );
}

/** Reads the state once, for pages that ask instead of listening. */
export async function readLive(subscriptionId: number): Promise<LiveState> {
  const state = (await readStates([subscriptionId])).get(subscriptionId);
  if (!state) throw new Error("no state for the subscription asked for");
  return state;
}

export function liveHub(): LiveHub {
  return processWide("live-hub", () => new LiveHub());
}
