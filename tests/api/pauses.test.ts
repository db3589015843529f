import { Api } from "grammy";
import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { db } from "@/db/client";
import { listAudit } from "@/db/queries/audit";
import { listOpenPauses, type PauseTarget } from "@/db/queries/pauses";
import { listLatestShownSignals } from "@/db/queries/signals";
import { recordTelegramCallResult } from "@/db/queries/telegram-queue";
import { computeReceiverAccess } from "@/lib/access/compute-receiver-access";
import { changeHub } from "@/lib/api/watch/change-hub";
import { readStatusPage } from "@/lib/health/read-status-page";
import { publishEvents } from "@/lib/outbound/publish";
import { deliverDueTelegramMessages } from "@/lib/outbound/telegram/deliver-messages";
import { makeTelegramLink } from "@/lib/outbound/telegram/links";
import { receiveTelegramUpdates } from "@/lib/outbound/telegram/receive-updates";
import { deliverDueWebhooks } from "@/lib/outbound/webhooks/deliver-webhooks";
import { createEndpoint } from "@/lib/outbound/webhooks/endpoints";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { endDuePauses, endPause, pauseSignals } from "@/lib/signals/pause-signals";
import { signalPrices } from "@/lib/signals/signal-prices";
import { call, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { hourlyCandleOpenTime, ingest, signalItem } from "@/tests/support/market-data";
import { startWebhookReceiver } from "@/tests/support/receiver";
import { waitUntil } from "@/tests/support/server";
import { type EventStream, readEventStream } from "@/tests/support/stream";
import { BOT_TOKEN, startTelegram } from "@/tests/support/telegram-double";

useDatabase({ MARKET_FEED: "demo", BASE_URL: "http://localhost:3000", TELEGRAM_BOT_TOKEN: BOT_TOKEN });

const ADMIN = { kind: "admin-session", sessionId: "s", address: "127.0.0.1", requestId: "t" } as const;
const EVERYTHING: PauseTarget = { symbol: null, timeframe: null };
const EURUSD: PauseTarget = { symbol: "EURUSD", timeframe: null };
const EURUSD_H1: PauseTarget = { symbol: "EURUSD", timeframe: "H1" };
const RUNNING = new AbortController().signal;
const app = apiApp(MOUNTS);

let sql: postgres.Sql;
let key: string;
let keyId: number;
let version = 0;
/** Ingests a signal of a newer model for the newest candle, which every client of the slot must receive. */
const make = (symbol = "EURUSD", timeframe = "H1") =>
  ingest("signals", [signalItem({ symbol, timeframe, model_v: `m${version++}` })]);
const pause = (target: PauseTarget, until: Date | null = null) =>
  pauseSignals(db(), { ...target, reason: "Bad prices", until }, ADMIN, new Date());
const end = (id: number) => endPause(db(), id, ADMIN);
const scan = (query = "") => call("GET", `/api/scan${query}`, { key });
const slotsOf = ({ json }: Awaited<ReturnType<typeof scan>>) =>
  json.items.map((item: { symbol: string; timeframe: string }) => `${item.symbol}/${item.timeframe}`);
const publish = () =>
  publishEvents(db(), { accessOf: computeReceiverAccess, readPrices: signalPrices }, new Date());

beforeAll(async () => {
  sql = connectDirectly();
  for (const [symbol, timeframe] of [
    ["EURUSD", "H1"],
    ["EURUSD", "H4"],
    ["GBPUSD", "H1"],
  ] as const)
    await ingest("signals", [
      {
        ...signalItem({ symbol, timeframe, model_v: "m" }),
        ts: `${hourlyCandleOpenTime(30).toISOString().slice(0, 11)}00:00:00Z`,
      },
    ]);
});
beforeEach(async () => {
  ({ key, keyId } = await makeKey());
});
afterEach(async () => {
  await sql`update pauses set ended_at = clock_timestamp() where ended_at is null`;
  await sql`update state_versions set signals = signals + 1`;
});
afterAll(() => sql.end());

describe("a pause", () => {
  it.each([
    ["of a slot", EURUSD_H1, ["EURUSD/H4", "GBPUSD/H1"], "EURUSD/H1"],
    ["of a symbol", EURUSD, ["GBPUSD/H1"], "EURUSD/H1, EURUSD/H4"],
    ["of everything", EVERYTHING, [], "EURUSD/H1, EURUSD/H4, GBPUSD/H1"],
  ] as const)(
    "a pause %s removes its slots from the next scan and names them in a header, and they return when the pause ends",
    async (_, target, left, named) => {
      expect(slotsOf(await scan())).toEqual(["EURUSD/H1", "EURUSD/H4", "GBPUSD/H1"]);
      expect((await scan()).headers.get("paused-slots")).toBeNull();
      const id = await pause(target);
      for (const query of ["", "?expand=validity"]) {
        const paused = await scan(query);
        expect(slotsOf(paused)).toEqual(left);
        expect(paused.headers.get("paused-slots")).toBe(named);
      }
      await end(id);
      expect(slotsOf(await scan())).toEqual(["EURUSD/H1", "EURUSD/H4", "GBPUSD/H1"]);
    },
  );

  it("a pause answers a waiting scan at once, without the paused symbol", async () => {
    const tag = (await scan()).headers.get("etag") ?? "";
    const waiting = call("GET", "/api/scan?wait=20", { key, headers: { "If-None-Match": tag } });
    await waitUntil(async () => changeHub().size === 1, 5_000);
    const startedAt = performance.now();
    await pause(EURUSD);
    const answer = await waiting;
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(answer.status).toBe(200);
    expect(slotsOf(answer)).toEqual(["GBPUSD/H1"]);
  });

  it("signals made during a pause are not sent by a stream, not even by one opened later with an earlier position", async () => {
    const open: EventStream[] = [];
    const openStream = async (after: string) => {
      const stream = readEventStream(
        await app.fetch(
          new Request(`http://localhost/api/stream?after=${after}`, { headers: { "X-API-Key": key } }),
        ),
      );
      open.push(stream);
      return stream;
    };
    const told = ({ events }: EventStream) =>
      events.flatMap(({ event, data }) => (event === "signal" ? [`${data.symbol}/${data.timeframe}`] : []));
    const before = (await scan()).headers.get("signal-seq") ?? "";
    const stream = await openStream(before);
    const id = await pause(EURUSD);
    await make("EURUSD", "H1");
    await make("GBPUSD", "H1");
    await waitUntil(async () => told(stream).length > 0, 5_000);
    await end(id);
    await make("EURUSD", "H4");
    await waitUntil(async () => told(stream).length > 1, 5_000);
    expect(told(stream)).toEqual(["GBPUSD/H1", "EURUSD/H4"]);
    const again = await openStream(before);
    await waitUntil(async () => told(again).length > 1, 5_000);
    expect(told(again)).toEqual(["GBPUSD/H1", "EURUSD/H4"]);
    for (const one of open) one.close();
    await waitUntil(async () => changeHub().size === 0, 5_000);
  });

  it("signals made during a pause are stored, and are hidden from lists until the pause ends", async () => {
    const newestOf = async () =>
      (await call("GET", "/api/signals/GBPUSD/H1?limit=1000", { key })).json.length;
    const ofAccount = async () =>
      (await call("GET", "/api/account/signals?limit=500&include_no_trade=true", { key })).json.count;
    const [before, account] = [await newestOf(), await ofAccount()];
    const id = await pause(EVERYTHING);
    await make("GBPUSD", "H1");
    expect([await newestOf(), await ofAccount()]).toEqual([before, account]);
    const [stored] = await sql`select count(*)::int as n from signals g join slots s on s.id = g.slot_id
                                where s.symbol = 'GBPUSD' and s.timeframe = 'H1'`;
    expect(stored?.n).toBe(before + 1);
    await end(id);
    expect([await newestOf(), await ofAccount()]).toEqual([before + 1, account + 1]);
  });

  it("a paused symbol is not among the signals for visitors, not even with a signal from before the pause", async () => {
    await make("GBPUSD", "H1");
    const [slot] = await sql`select id from slots where symbol = 'GBPUSD' and timeframe = 'H1'`;
    const shown = () =>
      listLatestShownSignals(db(), [{ slotId: slot?.id, latestShownOpenAt: new Date() }], {
        inTimeOnly: false,
      });
    expect(await shown()).toMatchObject([{ symbol: "GBPUSD" }]);
    const id = await pause(EVERYTHING);
    expect(await shown()).toEqual([]);
    await end(id);
  });

  it("a signal that was entered long after its candle is not among those for visitors", async () => {
    await make("GBPUSD", "H1");
    const [slot] = await sql`select id from slots where symbol = 'GBPUSD' and timeframe = 'H1'`;
    const wanted = [{ slotId: slot?.id, latestShownOpenAt: new Date() }];
    const [all] = await listLatestShownSignals(db(), wanted, { inTimeOnly: false });
    await sql`update signals set created_at = closes_at + 1.5 * (closes_at - ts) where slot_id = ${slot?.id} and ts = ${all?.ts.toISOString() ?? null}::timestamptz`;
    const [inTime] = await listLatestShownSignals(db(), wanted, { inTimeOnly: true });
    expect(inTime?.ts).not.toEqual(all?.ts);
  });

  it("signals queued for a webhook before a pause, or made during the pause, are not sent, not even after the pause", async () => {
    const [row] = await sql<
      { subscription_id: number }[]
    >`select subscription_id from api_keys where id = ${keyId}`;
    const subscriptionId = row?.subscription_id ?? 0;
    const actor = { kind: "subscriber", subscriptionId, address: "127.0.0.1", requestId: "t" } as const;
    const receiver = await startWebhookReceiver();
    const owner = { subscriptionId, planTier: "pro" } as const;
    await createEndpoint(db(), owner, { url: receiver.url, events: ["signal.created"] }, actor);
    const deliver = () =>
      deliverDueWebhooks(db(), { accessOf: computeReceiverAccess, post: { deadlineMs: 1_500 } }, RUNNING);
    await make("EURUSD", "H1");
    await publish();
    const id = await pause(EURUSD);
    // One was queued before the pause, the other is made during it.
    await make("EURUSD", "H4");
    await make("GBPUSD", "H1");
    await publish();
    await deliver();
    await end(id);
    await publish();
    await deliver();
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.symbol)).toEqual(["GBPUSD"]);
    await sql`delete from webhook_endpoints`;
    await receiver.close();
  });

  it("signals queued for Telegram before a pause, or made during the pause, are not sent, not even after the pause", async () => {
    const telegram = await startTelegram();
    const api = new Api(BOT_TOKEN, { apiRoot: telegram.root, timeoutSeconds: 2 });
    await recordTelegramCallResult(db(), { code: null, userName: "signals_test_bot" });
    const [row] = await sql<
      { subscription_id: number }[]
    >`select subscription_id from api_keys where id = ${keyId}`;
    const subscriptionId = row?.subscription_id ?? 0;
    const actor = { kind: "subscriber", subscriptionId, address: "127.0.0.1", requestId: "t" } as const;
    const url = await makeTelegramLink(db(), { subscriptionId, planTier: "pro" }, actor);
    telegram.say(900, `/start ${new URL(url).searchParams.get("start")}`);
    await receiveTelegramUpdates(db(), { api, accessOf: computeReceiverAccess, pollSeconds: 0 }, RUNNING);
    const deliver = async () => {
      await sql`update telegram_chats set next_send_at = now()`;
      await deliverDueTelegramMessages(db(), { api, accessOf: computeReceiverAccess }, RUNNING);
    };
    await deliver();
    await make("EURUSD", "H1");
    await publish();
    const id = await pause(EURUSD);
    await make("EURUSD", "H4");
    await publish();
    await deliver();
    await end(id);
    await publish();
    await deliver();
    await make("GBPUSD", "H1");
    await publish();
    await deliver();
    const texts = telegram.sent.map(({ text }) => text).filter((text) => /USD/.test(text ?? ""));
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain("GBPUSD");
    await telegram.close();
  });

  it("the diagnostics show a pause's reason to a subscriber with the paused symbol, not to one without the symbol", async () => {
    await pause(EURUSD);
    const codes = async (of: string) =>
      (await call("GET", "/api/ea-status?explain=true", { key: of })).json.findings.filter(
        ({ code }: { code: string }) => code === "signals_paused",
      );
    expect((await codes(key))[0]?.message).toBe("Paused: all of EURUSD (Bad prices).");
    const other = await makeKey({ symbols_allowed: ["GBPUSD"] });
    expect(await codes(other.key)).toEqual([]);
  });

  it("a pause appears on the status page", async () => {
    await pause(EURUSD);
    await vi.waitFor(async () => expect((await readStatusPage()).past?.paused[0]?.of).toBe("all of EURUSD"), {
      timeout: 5_000,
    });
  });

  it("a pause ends by itself when its time is over, and its start and end are audited", async () => {
    const id = await pause(EURUSD_H1, new Date(Date.now() + 60_000));
    await endDuePauses(db());
    expect(await listOpenPauses(db())).toHaveLength(1);
    await sql`update pauses set until = clock_timestamp() where id = ${id}`;
    await endDuePauses(db());
    expect(await listOpenPauses(db())).toEqual([]);
    expect(slotsOf(await scan())).toContain("EURUSD/H1");
    const rows = (await listAudit(db(), {}, 50)).filter(({ target }) => target === `pause/${id}`);
    expect(rows.map(({ action, actor }) => [action, actor])).toEqual([
      ["pause.end", "worker"],
      ["pause.start", "admin-session/s"],
    ]);
    expect(rows.at(-1)?.details).toMatchObject({ symbol: "EURUSD", timeframe: "H1", reason: "Bad prices" });
  });

  it("a pause is refused for a paused or unknown target and for an end in the past", async () => {
    await pause(EURUSD);
    await expect(pause(EURUSD)).rejects.toMatchObject({ code: "conflict" });
    await expect(pause({ symbol: "NOSUCH", timeframe: null })).rejects.toMatchObject({
      code: "validation_failed",
    });
    await expect(pause(EVERYTHING, new Date(0))).rejects.toMatchObject({ code: "validation_failed" });
    await expect(end(999_999)).rejects.toMatchObject({ code: "not_found" });
  });
});
