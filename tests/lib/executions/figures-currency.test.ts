import { expect, it } from "vitest";
import { db } from "@/db/client";
import { sumFilteredExecutions } from "@/db/queries/execution-figures";
import { listExecutionFilterValues, listFilteredExecutions } from "@/db/queries/executions";
import { figuresCurrency } from "@/lib/executions/figures-currency";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

useDatabase();

it("figures cover one currency if an account reports several, and name it", async () => {
  const { key, keyId } = await makeKey();
  const report = { symbol: "EURUSD", timeframe: "H1", signal: "BUY", closed_at: new Date().toISOString() };
  for (const [ticket, pnl, currency] of [
    [1, 120.5, "EUR"],
    [2, -20, "EUR"],
    [3, -3200, "JPY"],
    [4, 7, undefined],
  ] as const)
    await call("POST", "/api/executions", { key, body: { ...report, ticket, pnl, currency } });
  const [row] = await db().$client`select subscription_id from api_keys where id = ${keyId}`;
  const subscriptionId = Number(row?.subscription_id);
  const { currencies } = await listExecutionFilterValues(db(), subscriptionId);
  expect(currencies).toEqual(["EUR", "JPY"]);
  const { only, unit } = figuresCurrency(currencies, undefined);
  expect(unit).toBe("EUR");
  expect(await sumFilteredExecutions(db(), { subscriptionId, currency: only })).toMatchObject({
    nTotal: 2,
    totalPnl: "100.5",
  });
  expect(figuresCurrency(currencies, "JPY")).toEqual({ only: "JPY", unit: "JPY" });
  expect(figuresCurrency(["EUR"], undefined)).toEqual({ unit: "EUR" });
  expect(figuresCurrency([], undefined)).toEqual({ unit: null });
});

it("the P/L of an open position does not order the list, which shows it as unknown", async () => {
  const { key, keyId } = await makeKey();
  const report = { symbol: "EURUSD", timeframe: "H1", signal: "BUY" };
  const closed_at = new Date().toISOString();
  await call("POST", "/api/executions", { key, body: { ...report, ticket: 1, pnl: 5, closed_at } });
  await call("POST", "/api/executions", { key, body: { ...report, ticket: 2, pnl: 7.77 } });
  await call("POST", "/api/executions", { key, body: { ...report, ticket: 3, pnl: -1, closed_at } });
  const [row] = await db().$client`select subscription_id from api_keys where id = ${keyId}`;
  const rows = await listFilteredExecutions(
    db(),
    { subscriptionId: Number(row?.subscription_id) },
    { sort: "pnl", descending: true },
    { limit: 10 },
  );
  expect(rows.map(({ ticket }) => Number(ticket))).toEqual([1, 3, 2]);
});
