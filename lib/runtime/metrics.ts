/**
 * Requests and error codes of this process: prom-client metrics since the start, and counts per minute of the last
 * hour for the administrator's pages.
 */
import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { MINUTE_MS, SECOND_MS } from "@/lib/time";
import { processWide } from "./process-wide";
import { serverProcedure } from "./server-rpc";

/** Upper edges of the latency buckets in ms. One more bucket, without an upper edge, follows them. */
export const LATENCY_EDGES_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500] as const;
const N_BUCKETS = LATENCY_EDGES_MS.length + 1;
/** Length in minutes of the window for which counts per minute are kept. */
export const METRICS_WINDOW_MINUTES = 60;

/**
 * Maximum number of route templates, and of error codes, that are counted separately. Further names share one row, so
 * that memory stays bounded.
 */
const MAX_NAMES = 200;
const OTHER = "other";

/**
 * Counts of one minute. `minute` is the number of minutes since 1970, `buckets` the number of requests per latency
 * bucket.
 */
interface Minute {
  minute: number;
  requests: number;
  errors: number;
  buckets: number[];
}

/**
 * Counts of one route. It holds the prom-client metrics of its labels, because looking them up by label costs more than
 * counting.
 */
interface RouteCounts {
  total: number;
  duration: Histogram.Internal<"route">;
  byClass: Map<number, Counter.Internal>;
  /** Minutes with at least one request, oldest first. The next counted minute removes those older than an hour. */
  minutes: Minute[];
}

interface CodeCounts {
  total: Counter.Internal;
  minutes: { minute: number; n: number }[];
}

const metrics = () =>
  processWide("metrics", () => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    // Removes gauges with the suffix `_total`, which is for counters. Each only sums the gauge of the same name without
    // that suffix.
    for (const what of ["handles", "requests", "resources"])
      registry.removeSingleMetric(`nodejs_active_${what}_total`);
    return {
      // The start of the process, although this object is created at the first count.
      startedAt: new Date(Date.now() - Math.round(process.uptime() * 1000)),
      registry,
      requests: new Counter({
        name: "sds_requests_total",
        help: "Answered requests by route template and class of status.",
        labelNames: ["route", "status"],
        registers: [registry],
      }),
      durations: new Histogram({
        name: "sds_request_duration_seconds",
        help: "Time to answer by route template, in seconds.",
        labelNames: ["route"],
        buckets: LATENCY_EDGES_MS.map((edge) => edge / SECOND_MS),
        registers: [registry],
      }),
      errors: new Counter({
        name: "sds_errors_total",
        help: "Answers by the code of their error.",
        labelNames: ["code"],
        registers: [registry],
      }),
      routes: new Map<string, RouteCounts>(),
      codes: new Map<string, CodeCounts>(),
    };
  });

/** The metrics of this process, for a scrape. */
export const metricsRegistry = (): Registry => metrics().registry;

/**
 * Counts one answered request. `route` is the template, never the requested path; `ms` the time to answer; `code` the
 * error code of the answer.
 */
export function recordRequestMetrics(
  route: string,
  status: number,
  ms: number,
  code?: string,
  nowMs = Date.now(),
): void {
  const counts = countsOf(route);
  const { requests } = metrics();
  const group = Math.min(5, Math.max(1, Math.floor(status / 100)));
  counts.total++;
  counts.duration.observe(ms / SECOND_MS);
  let ofClass = counts.byClass.get(group);
  if (ofClass === undefined) {
    ofClass = requests.labels(nameIn(metrics().routes, route), `${group}xx`);
    counts.byClass.set(group, ofClass);
  }
  ofClass.inc();

  const minute = inMinute(counts.minutes, nowMs, (at) => ({
    minute: at,
    requests: 0,
    errors: 0,
    buckets: new Array<number>(N_BUCKETS).fill(0),
  }));
  minute.requests++;
  if (group === 5) minute.errors++;
  const bucket = bucketOf(ms);
  minute.buckets[bucket] = (minute.buckets[bucket] ?? 0) + 1;
  if (code !== undefined) recordErrorCode(code, nowMs);
}

/**
 * Counts an error code. Call it for errors outside of the JSON interface, such as a refused sign-in; `recordRequestMetrics`
 * counts the others.
 */
export function recordErrorCode(code: string, nowMs = Date.now()): void {
  const { codes, errors } = metrics();
  const name = nameIn(codes, code);
  let counts = codes.get(name);
  if (counts === undefined) {
    counts = { total: errors.labels(name), minutes: [] };
    codes.set(name, counts);
  }
  counts.total.inc();
  inMinute(counts.minutes, nowMs, (minute) => ({ minute, n: 0 })).n++;
}

/** Number of requests answered by this process since its start. */
export function totalRequestCount(): number {
  return sum([...metrics().routes.values()].map(({ total }) => total));
}

function countsOf(route: string): RouteCounts {
  const { routes, durations } = metrics();
  const name = nameIn(routes, route);
  const found = routes.get(name);
  if (found) return found;
  const fresh: RouteCounts = {
    total: 0,
    duration: durations.labels(name),
    byClass: new Map(),
    minutes: [],
  };
  routes.set(name, fresh);
  return fresh;
}

/** The name to count under: `name`, or OTHER if it is new and MAX_NAMES names are known. */
function nameIn(known: ReadonlyMap<string, unknown>, name: string): string {
  return known.has(name) || known.size < MAX_NAMES ? name : OTHER;
}

/** The entry of the current minute, created by `make` if it is missing. Drops entries older than an hour. */
function inMinute<M extends { minute: number }>(minutes: M[], nowMs: number, make: (minute: number) => M): M {
  const at = Math.floor(nowMs / MINUTE_MS);
  const newest = minutes.at(-1);
  if (newest && newest.minute >= at) return newest;
  const fresh = make(at);
  minutes.push(fresh);
  while ((minutes[0]?.minute ?? at) <= at - METRICS_WINDOW_MINUTES) minutes.shift();
  return fresh;
}

function bucketOf(ms: number): number {
  const bucket = LATENCY_EDGES_MS.findIndex((edge) => ms <= edge);
  return bucket < 0 ? N_BUCKETS - 1 : bucket;
}

export interface RouteFigures {
  route: string;
  /** Number of requests since the start of the process. */
  total: number;
  /** Number of requests in the requested window. */
  requests: number;
  perMinute: number;
  serverErrors: number;
  /** Median: upper edge of the latency bucket that contains it; null: above every edge, or no request. */
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
}

/** Figures of the HTTP server's process over a window of minutes. */
export interface ServerFigures {
  /** Start of the process. */
  since: Date;
  /** Memory of the HTTP server's process now, plus that of the page process at its last heartbeat. */
  rssBytes: number;
  /** Every route that was requested since the start, the one with the most requests in the window first. */
  routes: RouteFigures[];
  /** Number of errors in the window by error code, without codes that did not occur. */
  codes: Map<string, number>;
}

/** Memory of the page process from its last heartbeat; 0 before the first one. Kept in the HTTP server's process. */
export const pageProcessMemory = processWide("page-process-memory", () => ({ rssBytes: 0 }));

/** Figures of the HTTP server's process in the `minutes` before `nowMs`; the page process asks for them over RPC. */
export const serverFigures = serverProcedure(
  "server-figures",
  (minutes: number = METRICS_WINDOW_MINUTES, nowMs: number = Date.now()): ServerFigures => {
    const { startedAt, routes, codes } = metrics();
    const now = Math.floor(nowMs / MINUTE_MS);
    const isRecent = ({ minute }: { minute: number }) => minute <= now && minute > now - minutes;
    const spanMinutes = Math.max(1, Math.min(minutes, (nowMs - startedAt.getTime()) / MINUTE_MS));
    const figures = [...routes].map(([route, counts]): RouteFigures => {
      const recent = counts.minutes.filter(isRecent);
      const buckets = Array.from({ length: N_BUCKETS }, (_, i) =>
        sum(recent.map((minute) => minute.buckets[i] ?? 0)),
      );
      const requests = sum(recent.map((minute) => minute.requests));
      return {
        route,
        total: counts.total,
        requests,
        perMinute: requests / spanMinutes,
        serverErrors: sum(recent.map(({ errors }) => errors)),
        p50Ms: quantileMs(buckets, 0.5),
        p95Ms: quantileMs(buckets, 0.95),
        p99Ms: quantileMs(buckets, 0.99),
      };
    });
    const counted = [...codes].map(([code, { minutes: all }]): [string, number] => [
      code,
      sum(all.filter(isRecent).map(({ n }) => n)),
    ]);
    return {
      since: startedAt,
      rssBytes: process.memoryUsage.rss() + pageProcessMemory.rssBytes,
      routes: figures.toSorted((a, b) => b.requests - a.requests || b.total - a.total),
      codes: new Map(counted.filter(([, n]) => n > 0)),
    };
  },
);

/** Upper edge, in ms, of the latency bucket with quantile `q` (0..1); null: above the last edge, or no data. */
export function quantileMs(buckets: readonly number[], q: number): number | null {
  const total = sum(buckets);
  if (total === 0) return null;
  let seen = 0;
  for (const [i, edge] of LATENCY_EDGES_MS.entries()) {
    seen += buckets[i] ?? 0;
    if (seen >= q * total) return edge;
  }
  return null;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
