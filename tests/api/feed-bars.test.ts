import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { issueFeedToken } from "@/lib/access/feed-tokens";
import { call } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

useDatabase({ MARKET_FEED: "off" });

describe("POST /api/feed/bars", () => {
  let token: string;
  beforeAll(async () => {
    token = await issueFeedToken(db(), "a terminal", { kind: "command" });
  });
  const push = (body: object, headers: Record<string, string> = { "X-Feed-Token": token }) =>
    call("POST", "/api/feed/bars", { headers, body: JSON.stringify(body) });
  const nowSeconds = () => Math.floor(Date.now() / 1000);
  const sound = () => ({
    symbol: "BTCUSD",
    timeframe: "H1",
    clock: "utc",
    server_time: nowSeconds(),
    bars: [],
  });

  it("the bar feed accepts a valid feed token, not a missing or wrong one, and /admin/ingest/candles refuses that token", async () => {
    expect(await push(sound(), {})).toMatchObject({ status: 401, json: { code: "feed_token_missing" } });
    for (const wrong of ["feed_wrong", "test-admin-secret-0123456789"])
      expect(await push(sound(), { "X-Feed-Token": wrong })).toMatchObject({
        status: 401,
        json: { code: "feed_token_invalid" },
      });
    expect(await push(sound())).toMatchObject({ status: 200, json: { last_ts: null, last_server_time: 0 } });
    const elsewhere = await call("POST", "/admin/ingest/candles", {
      headers: { "X-Feed-Token": token, "X-Admin-Secret": token },
      body: JSON.stringify({ items: [] }),
    });
    expect(elsewhere.status).toBe(403);
  });

  it("answers 429 with Retry-After after too many wrong tokens from one address", async () => {
    const guess = () => push(sound(), { "X-Feed-Token": "feed_wrong", "x-client-address": "192.0.2.77" });
    let answer = await guess();
    for (let i = 0; i < 100 && answer.status === 401; i++) answer = await guess();
    expect(answer).toMatchObject({ status: 429, json: { code: "rate_limited" } });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });

  it.each<[string, object]>([
    ["timeframe", { timeframe: "H5" }],
    ["clock", { clock: "moscow" }],
    ["server_time", { server_time: "soon" }],
    ["server_time", { server_time: Math.floor(Date.now() / 1000) + 3600 }],
    ["server_time", { server_time: 1e300 }],
    ["bars.0.2", { bars: [[1, 2, "3", 4, 5, 6]] }],
    ["bars.0", { bars: [[1, 2]] }],
    ["bars", { bars: Array.from({ length: 501 }, () => [1, 1, 1, 1, 1, 1]) }],
    ["also.0", { also: ["M5"] }],
    ["also.0", { also: ["H1"] }],
    ["symbol", { symbol: "?" }],
  ])("refuses an invalid field with 422 and names it: %s", async (field, wrong) => {
    const { status, json } = await push({ ...sound(), ...wrong });
    expect(status).toBe(422);
    expect(json.errors[0].loc.slice(1).join(".")).toBe(field);
  });

  it("skips and counts invalid bars, with the reason", async () => {
    const hour = Math.floor(Date.now() / 3_600_000) * 3600;
    const bars = [
      [hour - 14_400, 1, 2, 1, 1.5, 9],
      [hour - 10_800 + 60, 1, 2, 1, 1.5, 9],
      [1e300, 1, 2, 1, 1.5, 9],
      [hour - 10_800, 1, 2, 1, -1.5, 9],
      [hour, 1, 2, 1, 1.5, 9],
    ];
    expect((await push({ ...sound(), bars })).json).toMatchObject({
      accepted: 1,
      refused: 3,
      reason: expect.any(String),
      last_server_time: hour - 14_400,
    });
  });
});
