import { expect, it } from "vitest";
import { POST as portal } from "@/app/portal/act/route";
import { db } from "@/db/client";
import { markSeen, readUnreadSummary } from "@/lib/subscribers/unread-summary";
import { addDays } from "@/lib/time";
import { makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { portalForm, signInWithKey } from "@/tests/support/portal";

const { seen: markSeenForm } = portal.forms;

useDatabase();

const EVERYTHING = { symbols: null, timeframes: null };

it("the unread summary counts results, champions, closed positions and incidents since the last mark, for one subscription", async () => {
  const sql = db().$client;
  const { key, keyId } = await makeKey();
  const [own] = await sql<{ id: number }[]>`select subscription_id as id from api_keys where id = ${keyId}`;
  const subscriptionId = own?.id ?? -1;
  await sql`insert into slots (id, symbol, timeframe) overriding system value values (1, 'EURUSD', 'H1'), (2, 'BTCUSD', 'H1')`;
  const at = (daysAgo: number) => addDays(new Date(), -daysAgo).toISOString();
  let seq = 0;
  const resolve = async (
    slot: number,
    daysAgo: number,
    resultR: number,
    { backfilled = false, endedDaysAgo = daysAgo } = {},
  ) => {
    const [made] = await sql<{ id: string }[]>`
      insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr, backfilled)
      values (${++seq}, ${slot}, ${at(daysAgo + seq)}, ${at(daysAgo + 1)}, 'm', 'BUY', 0.6, 0.6, 0.2, 0.2, 'R', 1, ${backfilled}) returning id`;
    await sql`insert into outcomes (signal_id, slot_id, model_v, closes_at, signal, rule_version, entry_price, barrier_distance, label, buy_r, sell_r, result_r, exit_price, exit_reason, ended_at, resolved_at)
      values (${made?.id ?? 0}, ${slot}, 'm', ${at(daysAgo + 1)}, 'BUY', 'v', 1, 1, 'BUY', ${resultR}, 0, ${resultR}, 1, 'TP', ${at(endedDaysAgo)}, ${at(daysAgo)})`;
  };
  await resolve(1, 40, 2);
  await resolve(1, 3, 1.5);
  await resolve(1, 1, -1);
  await resolve(2, 1, -1);
  await resolve(2, 2, 9, { backfilled: true });
  // A history that was evaluated recently.
  await resolve(1, 2, 3, { endedDaysAgo: 30 });
  const close = (owner: number, ticket: number, daysAgo: number, closedDaysAgo = 50) => sql`
    insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at, closed_at, pnl, updated_at)
    values (${owner}, ${ticket}, 'EURUSD', 'EURUSD', 'H1', 'BUY', ${at(60)}, ${at(closedDaysAgo)}, 7, ${at(daysAgo)})`;
  // Closed long ago and reported recently: news since a mark, but not of the last seven days.
  await close(subscriptionId, 1, 2);
  await close(subscriptionId, 2, 2, 3);
  await close(0, 1, 2);
  await sql`insert into models (slot_id, model_v, is_active, trained_at, champion_since) values (1, 'm', true, now(), ${at(2)})`;
  await sql`
    insert into incidents (component, severity, reasons, opened_at, closed_at)
    values ('worker', 'down', '{}', ${at(20)}, ${at(2)}), ('mail', 'degraded', '{}', ${at(1)}, null)`;

  const read = (scope: { symbols: string[] | null; timeframes: null } = EVERYTHING) =>
    readUnreadSummary(db(), { subscriptionId, subscribedAt: addDays(new Date(), -60), scope }, new Date());
  const week = {
    ...{ isMarked: false, nResolved: 3, nWins: 1, totalR: -0.5, nClosed: 1, totalPnl: "7" },
    ...{ nIncidents: 2, nOpenIncidents: 1 },
    champions: [{ symbol: "EURUSD", timeframe: "H1", modelV: "m" }],
  };
  expect(await read()).toMatchObject(week);
  expect(await read({ symbols: ["BTCUSD"], timeframes: null })).toMatchObject({
    ...{ nResolved: 1, champions: [] },
  });
  const fresh = { subscriptionId, subscribedAt: new Date(), scope: EVERYTHING };
  expect(await readUnreadSummary(db(), fresh, new Date()), "what was before the subscription").toMatchObject({
    ...{ nResolved: 0, champions: [], nClosed: 0 },
  });
  await markSeen(db(), subscriptionId, addDays(new Date(), -90), new Date());
  expect(await read()).toMatchObject({ isMarked: true, nResolved: 5, totalR: 4.5, nClosed: 2 });

  const change = async (after: object) => {
    await sql`update executions set updated_at = now() where subscription_id = ${subscriptionId} and ticket = 1`;
    await sql`
      insert into execution_changes (execution_id, key_id, request_id, before, after)
      select id, 1, 'r', '{}', ${JSON.stringify(after)}::jsonb from executions
       where subscription_id = ${subscriptionId} and ticket = 1`;
  };
  await sql`update executions set created_at = ${at(100)} where subscription_id = ${subscriptionId}`;
  await change({ commission: "1" });
  expect(await read(), "a new commission is not shown").toMatchObject({ nClosed: 0 });
  await change({ pnl: "7" });
  expect(await read()).toMatchObject({ nClosed: 1, totalPnl: "7" });

  const cookie = await signInWithKey(key);
  const until = new Date().toISOString();
  expect((await markSeenForm(portalForm("/portal/act?intent=seen", { until }, { cookie }))).status).toBe(303);
  expect(await read()).toMatchObject({
    isMarked: true,
    nResolved: 0,
    nClosed: 0,
    nIncidents: 0,
    nOpenIncidents: 0,
    champions: [],
  });
  await sql`update incidents set closed_at = now() + interval '1 second' where component = 'mail'`;
  expect(await read(), "the end of an incident that was marked as seen").toMatchObject({ nIncidents: 1 });

  // An older open page cannot move the mark back, and no page can set it in the future.
  await markSeenForm(portalForm("/portal/act?intent=seen", { until: at(30) }, { cookie }));
  await markSeenForm(portalForm("/portal/act?intent=seen", { until: "2100-01-01T00:00:00Z" }, { cookie }));
  const { since } = await read();
  expect(since >= new Date(until)).toBe(true);
  expect(since <= new Date()).toBe(true);
});
