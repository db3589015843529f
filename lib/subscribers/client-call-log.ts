import { LRUCache } from "lru-cache";
import { processWide } from "@/lib/runtime/process-wide";
import { serverProcedure } from "@/lib/runtime/server-rpc";

/** Number of polls remembered per subscription. */
const REMEMBERED = 16;
const KEPT_SUBSCRIPTIONS = 20_000;
const MAX_UNSERVED = 8;
const MAX_CONTRADICTED = 3;
/** Longer names of requested slots are cut, because clients can send any text. */
const MAX_SLOT_NAME = 80;

interface Calls {
  /** Times of the newest polls, oldest first, epoch ms. */
  polls: number[];
  /** Whether the newest poll was conditional (If-None-Match). */
  conditional: boolean;
  /** Requested slots without signals (refused, unknown, misspelled), newest last, as `EURUSDM/H1`. */
  unservedSlots: string[];
  /** Tickets whose later report names another position, newest last. */
  contradictedTickets: ContradictedTicket[];
}

/** A ticket, and its position as it is stored and as a later report names it, such as `EURUSD BUY`. */
export interface ContradictedTicket {
  ticket: string;
  stored: string;
  reported: string;
}

const noCalls = (): Calls => ({ polls: [], conditional: false, unservedSlots: [], contradictedTickets: [] });

/**
 * Recent polls, requested slots without signals and contradicted tickets of each subscription's client, in memory only,
 * for the diagnostics.
 */
class ClientCallLog {
  readonly #calls = new LRUCache<number, Calls>({ max: KEPT_SUBSCRIPTIONS });

  notePoll(subscriptionId: number, at: Date, conditional: boolean): void {
    const calls = this.#touch(subscriptionId);
    calls.polls.push(at.getTime());
    if (calls.polls.length > REMEMBERED) calls.polls.shift();
    calls.conditional = conditional;
  }

  noteUnservedSlot(
    subscriptionId: number,
    { symbol, timeframe }: { symbol: string; timeframe: string },
  ): void {
    const calls = this.#touch(subscriptionId);
    const slot = `${symbol}/${timeframe}`.slice(0, MAX_SLOT_NAME);
    calls.unservedSlots = [...calls.unservedSlots.filter((known) => known !== slot), slot].slice(
      -MAX_UNSERVED,
    );
  }

  noteContradictedTicket(subscriptionId: number, found: ContradictedTicket): void {
    const calls = this.#touch(subscriptionId);
    const others = calls.contradictedTickets.filter(({ ticket }) => ticket !== found.ticket);
    calls.contradictedTickets = [...others, found].slice(-MAX_CONTRADICTED);
  }

  of(subscriptionId: number): Readonly<Calls> | null {
    return this.#calls.get(subscriptionId) ?? null;
  }

  #touch(subscriptionId: number): Calls {
    const known = this.#calls.get(subscriptionId);
    if (known) return known;
    const calls = noCalls();
    this.#calls.set(subscriptionId, calls);
    return calls;
  }
}

export function clientCallLog(): ClientCallLog {
  return processWide("client-call-log", () => new ClientCallLog());
}

/** What is remembered of a subscription's client at the HTTP server of this machine. */
export const readClientCalls = serverProcedure(
  "client-call-log",
  (subscriptionId: number): Readonly<Calls> => clientCallLog().of(subscriptionId) ?? noCalls(),
);
