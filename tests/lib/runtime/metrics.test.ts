import { describe, expect, it } from "vitest";
import {
  METRICS_WINDOW_MINUTES,
  quantileMs,
  recordErrorCode,
  recordRequestMetrics,
  serverFigures,
} from "@/lib/runtime/metrics";
import { prometheusText } from "@/lib/runtime/prometheus";

const MINUTE_MS = 60_000;
const START_MS = Date.now();

const figuresOf = async (route: string, minutes: number, nowMs: number) =>
  (await serverFigures(minutes, nowMs)).routes.find((figures) => figures.route === route);
const codesOf = async (minutes: number, nowMs: number) => (await serverFigures(minutes, nowMs)).codes;

describe("request metrics", () => {
  it("requests, server errors and latencies are counted by route template", async () => {
    for (let i = 0; i < 98; i++) recordRequestMetrics("/a", 200, 3, undefined, START_MS);
    recordRequestMetrics("/a", 503, 80, "unavailable", START_MS);
    recordRequestMetrics("/a", 404, 9_999, "not_found", START_MS);
    const figures = await figuresOf("/a", 60, START_MS);
    expect(figures).toMatchObject({ requests: 100, total: 100, serverErrors: 1, p50Ms: 5, p95Ms: 5 });
    expect(figures?.p99Ms, "the 99th of 100 took 80 ms").toBe(100);
  });

  it("requests older than the window leave a route's count, but stay in its total", async () => {
    recordRequestMetrics("/b", 200, 1, undefined, START_MS);
    recordRequestMetrics("/b", 200, 1, undefined, START_MS + 10 * MINUTE_MS);
    expect((await figuresOf("/b", 5, START_MS + 10 * MINUTE_MS))?.requests).toBe(1);
    expect((await figuresOf("/b", 60, START_MS + 10 * MINUTE_MS))?.requests).toBe(2);
    const later = START_MS + (METRICS_WINDOW_MINUTES + 20) * MINUTE_MS;
    expect(await figuresOf("/b", 60, later)).toMatchObject({ requests: 0, total: 2 });
  });

  it("a request metric's minute bucket starts empty when reused an hour later", async () => {
    for (let i = 0; i < 7; i++) recordRequestMetrics("/c", 500, 1, undefined, START_MS);
    const later = START_MS + METRICS_WINDOW_MINUTES * MINUTE_MS;
    recordRequestMetrics("/c", 200, 1, undefined, later);
    expect(await figuresOf("/c", 60, later)).toMatchObject({ requests: 1, serverErrors: 0, total: 8 });
  });

  it("error codes are counted over the requested last minutes", async () => {
    recordErrorCode("key_invalid", START_MS);
    recordErrorCode("key_invalid", START_MS + 20 * MINUTE_MS);
    expect((await codesOf(10, START_MS + 20 * MINUTE_MS)).get("key_invalid")).toBe(1);
    expect((await codesOf(60, START_MS + 20 * MINUTE_MS)).get("key_invalid")).toBe(2);
    expect((await codesOf(10, START_MS + 50 * MINUTE_MS)).has("key_invalid")).toBe(false);
  });

  it("a quantile past the last bucket, or without data, is null", () => {
    expect(quantileMs([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5], 0.5)).toBeNull();
    expect(quantileMs([], 0.5)).toBeNull();
  });

  it("routes beyond the first 200 names share the row other, so that memory stays bounded", async () => {
    for (let i = 0; i < 1_000; i++) recordRequestMetrics(`/made-up/${i}`, 200, 1, undefined, START_MS);
    expect((await serverFigures(60, START_MS)).routes.length).toBeLessThanOrEqual(201);
    expect((await figuresOf("other", 60, START_MS))?.requests).toBeGreaterThan(700);
  });

  it("prometheusText has cumulative buckets that end at the count, totals by status and code, and given gauges", async () => {
    const { text } = await prometheusText([
      { name: "uptime_seconds", help: "Seconds since the start.", values: [{ value: 12 }] },
      { name: "lag", help: "By slot.", values: [{ labels: { slot: 'a"b' }, value: 3 }] },
    ]);
    const buckets = [...text.matchAll(/duration_seconds_bucket\{le="([^"]+)",route="\/a"\} (\d+)/g)];
    const counts = buckets.map((match) => Number(match[2]));
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(buckets.at(-1)?.slice(1)).toEqual(["+Inf", "100"]);
    expect(text).toContain('sds_requests_total{route="/a",status="5xx"} 1');
    expect(text).toContain('sds_errors_total{code="not_found"} 1');
    expect(text).toContain("sds_uptime_seconds 12");
    expect(text).toContain('sds_lag{slot="a\\"b"} 3');
  });

  it("every metric has a help text, event loop and garbage collection included", async () => {
    const { text } = await prometheusText();
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    const helped = new Set([...text.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name));
    expect(names.filter((name) => !helped.has(name ?? ""))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining(["nodejs_eventloop_lag_seconds", "nodejs_gc_duration_seconds"]),
    );
    const types = [...text.matchAll(/^# TYPE (\S+) (\w+)/gm)];
    const misnamed = types.filter(([, name, type]) => type !== "counter" && name?.endsWith("_total"));
    expect(misnamed.map(([, name]) => name)).toEqual([]);
  });
});
