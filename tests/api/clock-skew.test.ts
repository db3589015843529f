import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { POST as keyForms } from "@/app/portal/key/act/route";
import { db } from "@/db/client";
import { WORKER_JOBS } from "@/lib/server/worker/jobs";
import { heartbeatBuffer } from "@/lib/subscribers/heartbeat";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { portalForm, signInWithKey, signInWithLink } from "@/tests/support/portal";

const { rotate } = keyForms.forms;

useDatabase({ MARKET_FEED: "off" });

const MINUTE_MS = 60_000;
const CANDLE_MS = 15 * MINUTE_MS;
/** The machine's time in milliseconds, which is the database's time too. Fake timers do not change it. */
const trueMs = () => performance.timeOrigin + performance.now();
const wire = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

/** One of several instances may have a wrong clock; the database clock is authoritative. */
describe.each([2, -2])("an instance whose clock is %i hours off", (hours) => {
  const skew = () => vi.useFakeTimers({ toFake: ["Date"], now: trueMs() + hours * 60 * MINUTE_MS });
  beforeEach(() => {
    skew();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const end = (keyId: number, interval: string) =>
    db().execute(sql`update api_keys set expires_at = now() + ${interval}::interval where id = ${keyId}`);

  it("records the time of a client's call and shows the remaining days by the database clock", async () => {
    const { keyId, key } = await makeKey();
    await end(keyId, "25 hours");
    const me = (await call("GET", "/api/account/me", { key })).json;
    expect(Math.abs(Date.parse(me.last_seen_at) - trueMs())).toBeLessThan(MINUTE_MS);
    expect(me).toMatchObject({ ea_status: { status: "online" }, days_remaining: 1 });
    await heartbeatBuffer().flush();
    const [beat] = await db().execute(sql`
      select abs(extract(epoch from now() - last_seen_at)) < 60 as is_now from key_heartbeats where key_id = ${keyId}`);
    expect(beat).toEqual({ is_now: true });
  });

  it("ends a key and its 72 hours for closes by the database clock", async () => {
    const { keyId, key } = await makeKey();
    const opening = { ticket: 7, symbol: "EURUSD", timeframe: "H1", signal: "BUY" };
    const closing = { ticket: 7, closed_at: wire(trueMs()), pnl: 1 };
    const statuses = async () => [
      (await call("GET", "/api/scan", { key })).status,
      (await call("POST", "/api/executions", { key, body: closing })).status,
    ];
    expect((await call("POST", "/api/executions", { key, body: opening })).status).toBe(201);
    await end(keyId, "1 hour");
    expect(await statuses()).toEqual([200, 201]);
    // Opened while the key was active.
    await db().execute(sql`update executions set created_at = now() - interval '4 days'`);
    await end(keyId, "-1 hour");
    expect(await statuses()).toEqual([401, 201]);
    await end(keyId, "-71 hours");
    expect(await statuses()).toEqual([401, 201]);
    await end(keyId, "-73 hours");
    expect(await statuses()).toEqual([401, 401]);
  });

  it("answers 429 to the third request of a minute over a limit of two, with Retry-After of 50 to 60 seconds", async () => {
    const { key } = await makeKey({ rate_limit_per_min: 2 });
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push(await call("GET", "/api/scan", { key }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    const retryAfter = Number(answers[2]?.headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThan(50);
    expect(retryAfter).toBeLessThanOrEqual(60);
  });

  it("computes signal ages and its own health from the database clock", async () => {
    // The signal comes from an instance with a correct clock.
    vi.useRealTimers();
    const ts = wire(Math.floor(trueMs() / CANDLE_MS - 1) * CANDLE_MS);
    const slot = { symbol: "BTCUSD", timeframe: "M15", model_v: "m" };
    const model = { ...slot, is_active: true, trained_at: "2026-11-01T00:00:00Z" };
    const rest = { signal: "BUY", confidence: 1, prob_buy: 1, prob_sell: 0, prob_no: 0, expected_rr: 1 };
    for (const [what, item] of [
      ["models", model],
      ["signals", { ...slot, ...rest, ts, regime: "RANGE" }],
    ] as const)
      await call("POST", `/admin/ingest/${what}`, { admin: true, body: { items: [item] } });
    const { key } = await makeKey();
    skew();

    const scan = await call("GET", "/api/scan?expand=validity", { key });
    expect(scan.json.items[0]).toMatchObject({ ts, stale: false });
    expect(scan.json.items[0].age_minutes).toBeLessThanOrEqual(16);
    const health = await call("GET", "/api/health");
    expect(health.json).toMatchObject({ stale_pred_count: 0, last_prediction: ts });
    expect(health.json.pred_lag_minutes).toBeLessThanOrEqual(16);
  });

  it("accepts a mailed link, and allows a key rotation only within ten minutes of the sign-in", async () => {
    const email = `clock${hours}@example.test`;
    const { key } = await makeKey({ email });
    const replace = async (cookie: string) => {
      const answer = await rotate(
        portalForm("/portal/key/act?intent=rotate", { typed_word: "ROTATE" }, { cookie }),
      );
      return answer.headers.get("location")?.replace(/\?.*/, "");
    };
    const late = await signInWithKey(key);
    await db().execute(sql`update sessions set created_at = now() - interval '11 minutes'`);
    expect(await replace(late)).toBe("/login");
    expect(await replace(await signInWithLink(email))).toBe("/portal/key/new");
  });

  it("stores health probes under the current minute of the database", async () => {
    await db().execute(sql`delete from health_probes`);
    await WORKER_JOBS.find(({ name }) => name === "probe")?.run({ signal: new AbortController().signal });
    const probes = await db().execute(sql`
      select abs(extract(epoch from now() - minute)) < 120 as is_now from health_probes`);
    expect([...probes]).toEqual([{ is_now: true }]);
  });
});
