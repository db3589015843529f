import { processWide } from "@/lib/runtime/process-wide";
import { inEachProcess } from "@/lib/runtime/processes";

/** One answered request of a subscription: path, status and time, never its body or parameters. */
export interface RecentRequest {
  at: Date;
  method: string;
  /** Path template. */
  route: string;
  status: number;
  ms: number;
  code: string | undefined;
  requestId: string;
}

const KEPT_PER_SUBSCRIPTION = 20;
const KEPT_SUBSCRIPTIONS = 20_000;
/** Length of the ids that this service gives. */
const ID_BYTES = 16;

/** What many requests have in common. There are few of these, and each is kept once. */
type Kind = Pick<RecentRequest, "method" | "route" | "status" | "code">;

/**
 * A row of twenty requests for each subscription. A process keeps some hundred thousand requests: as objects they would take
 * most of its memory, and the collector would carry each of them from the young to the old. Memory that no row has used yet
 * is only reserved.
 */
class Book {
  readonly since = new Date(Date.now() - process.uptime() * 1_000);
  readonly #rows = new Map<number, number>();
  readonly #subscriptions = new Int32Array(KEPT_SUBSCRIPTIONS);
  /** How many requests a row has had, the twenty-first in the place of the first. */
  readonly #counts = new Float64Array(KEPT_SUBSCRIPTIONS);
  readonly #times = new Float64Array(KEPT_SUBSCRIPTIONS * KEPT_PER_SUBSCRIPTION);
  readonly #durations = new Float32Array(KEPT_SUBSCRIPTIONS * KEPT_PER_SUBSCRIPTION);
  readonly #kinds = new Uint16Array(KEPT_SUBSCRIPTIONS * KEPT_PER_SUBSCRIPTION);
  readonly #ids = Buffer.alloc(KEPT_SUBSCRIPTIONS * KEPT_PER_SUBSCRIPTION * ID_BYTES);
  /** By row, those that clients gave, which may be of any length. A zero stands in their place among the others. */
  readonly #givenIds = new Map<number, string[]>();
  readonly #knownKinds: Kind[] = [];
  readonly #kindsByRoute = new Map<string, number[]>();
  /** Rows that were used since the hand went by, which it spares once. */
  readonly #isSpared = new Uint8Array(KEPT_SUBSCRIPTIONS);
  #hand = 0;

  note(subscriptionId: number, atMs: number, request: Omit<RecentRequest, "at">): void {
    const row = this.#rowOf(subscriptionId);
    const nth = this.#counts[row] ?? 0;
    this.#counts[row] = nth + 1;
    const place = row * KEPT_PER_SUBSCRIPTION + (nth % KEPT_PER_SUBSCRIPTION);
    this.#times[place] = atMs;
    this.#durations[place] = request.ms;
    this.#kinds[place] = this.#kindOf(request);
    const { requestId } = request;
    if (requestId.length === ID_BYTES) this.#ids.write(requestId, place * ID_BYTES, ID_BYTES, "latin1");
    else this.#noteGivenId(row, nth % KEPT_PER_SUBSCRIPTION, requestId);
  }

  requestsOf(subscriptionId: number): RecentRequest[] {
    const row = this.#rows.get(subscriptionId);
    if (row === undefined) return [];
    const count = Math.min(this.#counts[row] ?? 0, KEPT_PER_SUBSCRIPTION);
    return Array.from({ length: count }, (_, n) => this.#requestAt(row, n)).filter((one) => one !== null);
  }

  #requestAt(row: number, n: number): RecentRequest | null {
    const place = row * KEPT_PER_SUBSCRIPTION + n;
    const kind = this.#knownKinds[this.#kinds[place] ?? 0];
    if (kind === undefined) return null;
    const from = place * ID_BYTES;
    const requestId =
      this.#ids[from] === 0
        ? (this.#givenIds.get(row)?.[n] ?? "")
        : this.#ids.toString("latin1", from, from + ID_BYTES);
    return { ...kind, at: new Date(this.#times[place] ?? 0), ms: this.#durations[place] ?? 0, requestId };
  }

  /** The row of a subscription; of one without, the next that is free, or was not used for a whole turn of the hand. */
  #rowOf(subscriptionId: number): number {
    const known = this.#rows.get(subscriptionId);
    if (known !== undefined) {
      this.#isSpared[known] = 1;
      return known;
    }
    const row = this.#rows.size < KEPT_SUBSCRIPTIONS ? this.#rows.size : this.#takeRow();
    this.#rows.set(subscriptionId, row);
    this.#subscriptions[row] = subscriptionId;
    return row;
  }

  #takeRow(): number {
    while (this.#isSpared[this.#hand] === 1) {
      this.#isSpared[this.#hand] = 0;
      this.#hand = (this.#hand + 1) % KEPT_SUBSCRIPTIONS;
    }
    const row = this.#hand;
    this.#hand = (row + 1) % KEPT_SUBSCRIPTIONS;
    this.#rows.delete(this.#subscriptions[row] ?? 0);
    this.#givenIds.delete(row);
    this.#counts[row] = 0;
    return row;
  }

  #noteGivenId(row: number, n: number, requestId: string): void {
    this.#ids[(row * KEPT_PER_SUBSCRIPTION + n) * ID_BYTES] = 0;
    const given = this.#givenIds.get(row) ?? [];
    given[n] = requestId;
    this.#givenIds.set(row, given);
  }

  #kindOf({ method, route, status, code }: Kind): number {
    let numbers = this.#kindsByRoute.get(route);
    if (!numbers) {
      numbers = [];
      this.#kindsByRoute.set(route, numbers);
    }
    for (const number of numbers) {
      const kind = this.#knownKinds[number];
      if (kind?.status === status && kind.method === method && kind.code === code) return number;
    }
    const number = this.#knownKinds.push({ method, route, status, code }) - 1;
    numbers.push(number);
    return number;
  }
}

const book = () => processWide("recent-requests", () => new Book());

/**
 * Remembers a request of a subscription that was answered at `atMs` of the epoch: in this process, the last 20 of each
 * of 20,000 subscriptions, at constant cost (decisions 89 and 329).
 */
export function noteRequest(subscriptionId: number, atMs: number, request: Omit<RecentRequest, "at">): void {
  book().note(subscriptionId, atMs, request);
}

const rememberedOf = inEachProcess("recent-requests", (subscriptionId: number) => ({
  since: book().since,
  requests: book().requestsOf(subscriptionId),
}));

/** The last requests of a subscription at this port, newest first, and since when none of them is missing. */
export async function recentRequests(
  subscriptionId: number,
): Promise<{ since: Date; requests: RecentRequest[] }> {
  const inAll = await rememberedOf(subscriptionId);
  return {
    since: new Date(Math.max(...inAll.map(({ since }) => since.getTime()))),
    requests: inAll
      .flatMap(({ requests }) => requests)
      .toSorted((a, b) => b.at.getTime() - a.at.getTime())
      .slice(0, KEPT_PER_SUBSCRIPTION),
  };
}
