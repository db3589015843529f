import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { closePools, db } from "@/db/client";
import { changeExecution, findExecutionByTicket } from "@/db/queries/execution-reports";
import { recordExecution } from "@/lib/executions/record-execution";
import type { Reporter } from "@/lib/executions/reporter";
import { readExecutionReport } from "@/lib/wire/execution-report";
import { makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase();

const CAME_AT = new Date("2026-11-20T12:00:00Z");
const OPEN = { symbol: "EURUSD", timeframe: "H1", signal: "BUY", entry_price: 1.1 };
const CLOSE = { closed_at: "2026-11-20T11:00:00Z", exit_price: 1.2, result: "TP" };

let reporter: Reporter;
let sql: ReturnType<typeof connectDirectly>;
let ticket = 0;

beforeAll(async () => {
  const { keyId } = await makeKey({ plan_tier: "pro" });
  sql = connectDirectly();
  const [key] = await sql`select subscription_id::int as id from api_keys where id = ${keyId}`;
  reporter = { keyId, subscriptionId: key?.id, closeOnly: null, requestId: "r", seenAt: CAME_AT };
});
beforeEach(() => {
  ticket++;
});
afterAll(async () => {
  await sql.end();
  await closePools();
});

const record = (body: object) =>
  recordExecution(db(), reporter, readExecutionReport({ ticket, ...body }, CAME_AT), new Set(["EURUSD"]));
const changes = () =>
  sql`select c.before, c.after from execution_changes c join executions e on e.id = c.execution_id
       where e.ticket = ${ticket} order by c.id`;

describe("concurrent reports of one ticket across processes", () => {
  it("concurrent closes of one ticket with different amounts are applied in turn, each with the previous values", async () => {
    await record({ ...OPEN });
    const amounts = Array.from({ length: 16 }, (_, n) => String(n + 1));
    await Promise.all(amounts.map((pnl) => record({ ...OPEN, ...CLOSE, pnl })));
    const chain = await changes();
    expect(chain.map(({ after }) => after.pnl).toSorted()).toEqual(amounts.toSorted());
    expect(chain.map(({ before }) => before.pnl)).toEqual([
      null,
      ...chain.slice(0, -1).map(({ after }) => after.pnl),
    ]);
    const [row] = await sql`select pnl::text as pnl from executions where ticket = ${ticket}`;
    expect(row?.pnl).toBe(chain.at(-1)?.after.pnl);
  });

  it("concurrent reports of one ticket with different fields are all kept", async () => {
    await record({ ...OPEN });
    const told = [{ swap: "-1" }, { commission: "-2" }, { volume: "0.3" }, { comment: "four" }, { pnl: "5" }];
    await Promise.all(told.map((one) => record({ ...OPEN, ...CLOSE, ...one })));
    const [row] = await sql`
      select swap::text as swap, commission::text as commission, volume::text as volume, comment, pnl::text as pnl
        from executions where ticket = ${ticket}`;
    expect(row).toEqual(Object.assign({}, ...told));
  });

  it("a concurrent opening and close of one ticket create one closed position", async () => {
    const answers = await Promise.all([
      record({ ...OPEN, ...CLOSE }),
      ...[1, 2, 3].flatMap(() => [record(OPEN), record({ ...OPEN, ...CLOSE })]),
    ]);
    expect(answers.filter(({ action }) => action === "created")).toHaveLength(1);
    expect(new Set(answers.map(({ executionId }) => executionId)).size).toBe(1);
    const [row] = await sql`select closed_at from executions where ticket = ${ticket}`;
    expect(row?.closed_at).toEqual(new Date(CLOSE.closed_at));
  });
});

it("a report with an outdated version changes neither the position nor the list of its changes", async () => {
  await record({ ...OPEN });
  const stored = await findExecutionByTicket(db(), reporter.subscriptionId, BigInt(ticket));
  if (stored === null) throw new Error("was not stored");
  const change = { before: { pnl: null }, clockSuspect: false, keyId: reporter.keyId, requestId: "r" };
  expect(await changeExecution(db(), stored, { ...change, after: { pnl: "1" } })).toBe(true);
  expect(await changeExecution(db(), stored, { ...change, after: { pnl: "2" } })).toBe(false);
  expect((await findExecutionByTicket(db(), reporter.subscriptionId, BigInt(ticket)))?.pnl).toBe("1");
  expect(await changes()).toEqual([{ before: { pnl: null }, after: { pnl: "1" } }]);
});
