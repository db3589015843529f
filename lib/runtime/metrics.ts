import { HOUR_MS, MINUTE_MS } from "@/lib/time";
import { groupBy } from "./group-by";
import { processWide } from "./process-wide";
import { inEach } from "./processes";

/** Upper edges of the latency buckets in milliseconds; a last bucket without an edge follows. */
export const LATENCY_EDGES_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500] as const;
const N_BUCKETS = LATENCY_EDGES_MS.length + 1;
export const STATUS_CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;
/** Minutes of the short window. */
export const WINDOW_MINUTES = 60;

/** Figures of one route since the start, and per minute for the last hour. All arrays are made once. */
class RouteSeries {
  readonly byClass = new Float64Array(STATUS_CLASSES.length);
  readonly buckets = new Float64Array(N_BUCKETS);
  sumMs = 0;
  /** The newest request of each bucket; empty while no one asks for them. */
  readonly examples: Omit<Exemplar, "route">[] = [];
  readonly #minuteOf = new Float64Array(WINDOW_MINUTES);
  readonly #requests = new Uint32Array(WINDOW_MINUTES);
  readonly #errors = new Uint32Array(WINDOW_MINUTES);
  readonly #windowBuckets = new Uint32Array(WINDOW_MINUTES * N_BUCKETS);

  add(status: number, ms: number, minute: number): void {
    const group = Math.min(4, Math.max(0, Math.floor(status / 100) - 1));
    const bucket = bucketOf(ms);
    this.byClass[group] = (this.byClass[group] ?? 0) + 1;
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
    this.sumMs += ms;
    const place = minute % WINDOW_MINUTES;
    if (this.#minuteOf[place] !== minute) {
      this.#minuteOf[place] = minute;
      this.#requests[place] = 0;
      this.#errors[place] = 0;
      this.#windowBuckets.fill(0, place * N_BUCKETS, (place + 1) * N_BUCKETS);
    }
    this.#requests[place] = (this.#requests[place] ?? 0) + 1;
    if (group === 4) this.#errors[place] = (this.#errors[place] ?? 0) + 1;
    const cell = place * N_BUCKETS + bucket;
    this.#windowBuckets[cell] = (this.#windowBuckets[cell] ?? 0) + 1;
  }

  /** Requests, 5xx answers and latency buckets of the last `minutes` up to and with `minute`. */
  window(minute: number, minutes: number): { requests: number; errors: number; buckets: number[] } {
    const buckets = new Array<number>(N_BUCKETS).fill(0);
    let requests = 0;
    let errors = 0;
    for (let place = 0; place < WINDOW_MINUTES; place++) {
      const age = minute - (this.#minuteOf[place] ?? 0);
      if (age < 0 || age >= minutes) continue;
      requests += this.#requests[place] ?? 0;
      errors += this.#errors[place] ?? 0;
      for (let i = 0; i < N_BUCKETS; i++)
        buckets[i] = (buckets[i] ?? 0) + (this.#windowBuckets[place * N_BUCKETS + i] ?? 0);
    }
    return { requests, errors, buckets };
  }
}

/** Counts of one error word since the start, and per minute for the last hour. */
class CodeSeries {
  total = 0;
  readonly #minuteOf = new Float64Array(WINDOW_MINUTES);
  readonly #counts = new Uint32Array(WINDOW_MINUTES);

  add(minute: number): void {
    this.total++;
    const place = minute % WINDOW_MINUTES;
    if (this.#minuteOf[place] !== minute) {
      this.#minuteOf[place] = minute;
      this.#counts[place] = 0;
    }
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
  }

  window(minute: number, minutes: number): number {
    let sum = 0;
    for (let place = 0; place < WINDOW_MINUTES; place++) {
      const age = minute - (this.#minuteOf[place] ?? 0);
      if (age >= 0 && age < minutes) sum += this.#counts[place] ?? 0;
    }
    return sum;
  }
}

/** One request of a bucket of times: its number leads to its line in the log. */
export interface Exemplar {
  route: string;
  bucket: number;
  requestId: string;
  ms: number;
  atMs: number;
}

interface Metrics {
  startedAt: Date;
  /** Until when requests are remembered as examples, epoch ms. */
  examplesUntilMs: number;
  routes: Map<string, RouteSeries>;
  codes: Map<string, CodeSeries>;
}

const metrics = () =>
  processWide<Metrics>("metrics", () => ({
    startedAt: new Date(),
    examplesUntilMs: 0,
    routes: new Map(),
    codes: new Map(),
  }));

/** Most names that are counted. Route templates and error words are fewer; names beyond this number share one row. */
const MAX_NAMES = 200;

/**
 * Counts one answered request. `route` is the template, never the path as sent; `code` the word of its error. It takes
 * constant time and, after a route's first request, allocates nothing, because it runs for every poll (decision 97).
 */
export function countRequest(
  route: string,
  status: number,
  ms: number,
  code?: string,
  nowMs = Date.now(),
): void {
  const { routes } = metrics();
  const minute = Math.floor(nowMs / MINUTE_MS);
  (routes.get(route) ?? add(routes, route, () => new RouteSeries())).add(status, ms, minute);
  if (code !== undefined) countCode(code, nowMs);
}

/** Remembers a counted request as the example of its bucket, while a Prometheus asks for them; else it does nothing. */
export function noteExample(route: string, ms: number, requestId: string): void {
  const { examplesUntilMs, routes } = metrics();
  if (examplesUntilMs === 0) return;
  const atMs = Date.now();
  const examples = routes.get(route)?.examples;
  if (examples === undefined || atMs > examplesUntilMs) return;
  const bucket = bucketOf(ms);
  examples[bucket] = { bucket, requestId, ms, atMs };
}

/** The examples of this process, which are kept from the first call on, and for an hour after each. */
export function exemplars(): Exemplar[] {
  const held = metrics();
  held.examplesUntilMs = Date.now() + HOUR_MS;
  return [...held.routes].flatMap(([route, { examples }]) =>
    // Buckets without one are holes of the array, which `flatMap` leaves out.
    examples.flatMap((example) => [{ route, ...example }]),
  );
}

/** Requests answered by this process since its start. */
export function countedRequests(): number {
  let total = 0;
  for (const { byClass } of metrics().routes.values()) for (const count of byClass) total += count;
  return total;
}

/** Counts an error word outside of a request of the interface, such as a refused sign-in. */
export function countCode(code: string, nowMs = Date.now()): void {
  const { codes } = metrics();
  (codes.get(code) ?? add(codes, code, () => new CodeSeries())).add(Math.floor(nowMs / MINUTE_MS));
}

function add<T>(map: Map<string, T>, name: string, make: () => T): T {
  const key = map.size < MAX_NAMES ? name : "other";
  const found = map.get(key);
  if (found) return found;
  const fresh = make();
  map.set(key, fresh);
  return fresh;
}

function bucketOf(ms: number): number {
  let bucket = 0;
  while (bucket < LATENCY_EDGES_MS.length && ms > (LATENCY_EDGES_MS[bucket] ?? 0)) bucket++;
  return bucket;
}

export interface RouteFigures {
  route: string;
  /** Since the start. */
  total: number;
  /** In the window asked for. */
  requests: number;
  perMinute: number;
  serverErrors: number;
  /** Upper edge of the bucket that holds the quantile; null: slower than every edge, or no request. */
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
}

/** What one process counted in the last `minutes`. */
const countedIn = inEach("counted-window", (minutes: number, nowMs: number) => {
  const { startedAt, routes, codes } = metrics();
  const minute = Math.floor(nowMs / MINUTE_MS);
  return {
    startedAt,
    rssBytes: process.memoryUsage.rss(),
    routes: [...routes].map(([route, series]) => ({
      route,
      total: sum(series.byClass),
      ...series.window(minute, minutes),
    })),
    codes: [...codes].map(([code, series]): [string, number] => [code, series.window(minute, minutes)]),
  };
});

/** The figures of a port: of the one process that serves it, or of all of them together. */
export interface PortFigures {
  /** When the first of the processes began to count. */
  since: Date;
  processes: number;
  /** Memory that they hold. */
  rssBytes: number;
  /** Every route that was asked for, busiest first. */
  routes: RouteFigures[];
  /** How often each error code was sent. */
  codes: Map<string, number>;
}

/** What was counted at this port in the last `minutes`. */
export async function portFigures(minutes = WINDOW_MINUTES, nowMs = Date.now()): Promise<PortFigures> {
  const counted = await countedIn(minutes, nowMs);
  const since = new Date(Math.min(...counted.map(({ startedAt }) => startedAt.getTime())));
  const spanMinutes = Math.max(1 / 60, Math.min(minutes, (nowMs - since.getTime()) / MINUTE_MS));
  const codes = new Map<string, number>();
  for (const [code, n] of counted.flatMap((one) => one.codes))
    if (n > 0) codes.set(code, (codes.get(code) ?? 0) + n);
  const byRoute = groupBy(
    counted.flatMap(({ routes }) => routes),
    ({ route }) => route,
  );
  const routes = [...byRoute].map(([route, parts]): RouteFigures => {
    const buckets = Array.from({ length: N_BUCKETS }, (_, i) =>
      sum(parts.map((part) => part.buckets[i] ?? 0)),
    );
    const requests = sum(parts.map((part) => part.requests));
    return {
      route,
      total: sum(parts.map(({ total }) => total)),
      requests,
      perMinute: requests / spanMinutes,
      serverErrors: sum(parts.map(({ errors }) => errors)),
      p50Ms: quantileMs(buckets, 0.5),
      p95Ms: quantileMs(buckets, 0.95),
      p99Ms: quantileMs(buckets, 0.99),
    };
  });
  return {
    since,
    processes: counted.length,
    rssBytes: sum(counted.map((one) => one.rssBytes)),
    routes: routes.toSorted((a, b) => b.requests - a.requests || b.total - a.total),
    codes,
  };
}

/** Upper edge, in ms, of the bucket in which the quantile `q` lies; null when it is past the last edge or nothing was counted. */
export function quantileMs(buckets: readonly number[], q: number): number | null {
  const total = sum(buckets);
  if (total === 0) return null;
  let seen = 0;
  for (let i = 0; i < LATENCY_EDGES_MS.length; i++) {
    seen += buckets[i] ?? 0;
    if (seen >= q * total) return LATENCY_EDGES_MS[i] ?? null;
  }
  return null;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** All that is counted since the start, for whom the figures of this process are written out. */
export function countedSeries(): {
  routes: {
    route: string;
    byClass: ReadonlyMap<string, number>;
    buckets: readonly number[];
    sumMs: number;
  }[];
  codes: ReadonlyMap<string, number>;
} {
  const { routes, codes } = metrics();
  return {
    routes: [...routes].map(([route, { byClass, buckets, sumMs }]) => ({
      route,
      byClass: new Map(STATUS_CLASSES.map((name, i) => [name, byClass[i] ?? 0])),
      buckets: [...buckets],
      sumMs,
    })),
    codes: new Map([...codes].map(([code, { total }]) => [code, total])),
  };
}
