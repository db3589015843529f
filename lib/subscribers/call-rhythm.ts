import { processWide } from "@/lib/runtime/process-wide";
import { inEachProcess } from "@/lib/runtime/processes";
import { RecentMap } from "@/lib/runtime/recent-map";

/** Calls that are remembered of a subscription. */
const REMEMBERED = 16;
const KEPT_SUBSCRIPTIONS = 20_000;
const MAX_REFUSED = 8;

interface Calls {
  /** Times of the newest polls, oldest first, epoch ms. */
  polls: number[];
  /** How many of them asked conditionally. */
  conditional: boolean;
  /** Slots asked for and refused, newest last, as `EURUSD/M5`. */
  refusedSlots: string[];
}

/** How each client has called lately. It is kept in memory only, for the findings (decision 56). */
class CallRhythm {
  readonly #calls = new RecentMap<number, Calls>(KEPT_SUBSCRIPTIONS);

  notePoll(subscriptionId: number, at: Date, conditional: boolean): void {
    const calls = this.#touch(subscriptionId);
    calls.polls.push(at.getTime());
    if (calls.polls.length > REMEMBERED) calls.polls.shift();
    calls.conditional = conditional;
  }

  noteRefusedSlot(subscriptionId: number, slot: string): void {
    const calls = this.#touch(subscriptionId);
    calls.refusedSlots = [...calls.refusedSlots.filter((known) => known !== slot), slot].slice(-MAX_REFUSED);
  }

  of(subscriptionId: number): Readonly<Calls> | null {
    return this.#calls.get(subscriptionId) ?? null;
  }

  #touch(subscriptionId: number): Calls {
    const known = this.#calls.get(subscriptionId);
    if (known) return known;
    const calls: Calls = { polls: [], conditional: false, refusedSlots: [] };
    this.#calls.set(subscriptionId, calls);
    return calls;
  }
}

export function callRhythm(): CallRhythm {
  return processWide("call-rhythm", () => new CallRhythm());
}

const rhythmOf = inEachProcess("call-rhythm", (subscriptionId: number) => callRhythm().of(subscriptionId));

/** How a client has called this port lately. */
export async function readRhythm(subscriptionId: number): Promise<Readonly<Calls>> {
  const known = (await rhythmOf(subscriptionId))
    .filter((calls) => calls !== null)
    .toSorted((a, b) => (a.polls.at(-1) ?? 0) - (b.polls.at(-1) ?? 0));
  return {
    polls: known
      .flatMap(({ polls }) => polls)
      .toSorted((a, b) => a - b)
      .slice(-REMEMBERED),
    conditional: known.at(-1)?.conditional ?? false,
    refusedSlots: [...new Set(known.flatMap(({ refusedSlots }) => refusedSlots))].slice(-MAX_REFUSED),
  };
}
