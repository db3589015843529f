import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "@/tests/support/database";

let sql: postgres.Sql;
let drop: () => Promise<void>;
let slotId: number;
let signalIds: number[];

beforeAll(async () => {
  const migrated = await createDatabase();
  drop = migrated.drop;
  sql = postgres(migrated.url, { max: 1, onnotice: () => undefined });
  [slotId = 0] = (await sql`insert into slots (symbol, timeframe) values ('EURUSD', 'H1') returning id`).map(
    ({ id }) => id,
  );
  signalIds = (
    await sql`
      insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr)
      select n, ${slotId}, opens, opens + interval '1 hour', 'm1', 'BUY', 0.6, 0.6, 0.2, 0.2, 'trend', 1.5
        from generate_series(1, 2) n, lateral (select '2026-01-05T00:00:00Z'::timestamptz + n * interval '1 hour' as opens) t
      returning id`
  ).map(({ id }) => Number(id));
});
afterAll(async () => {
  await sql.end();
  await drop();
});

/** The statements are those of release 1.3.0, which serves beside this one during a rolling upgrade. */
describe("the views under the table names of release 1.3.0", () => {
  it("untold_results adds and removes rows of pending_result_events, each signal once", async () => {
    const add = () =>
      sql`insert into untold_results (signal_id) select id from signals order by id on conflict do nothing`;
    await add();
    await add();
    expect(await sql`select signal_id from pending_result_events order by 1`).toEqual(
      signalIds.map((id) => ({ signal_id: String(id) })),
    );
    const removed = await sql`
      delete from untold_results u
       where u.signal_id in (select w.signal_id from untold_results w order by w.signal_id limit 1)
      returning u.signal_id`;
    expect(removed).toEqual([{ signal_id: String(signalIds[0]) }]);
    expect(await sql`select 1 from pending_result_events`).toHaveLength(1);
  });

  it("told_champions updates announced_champions, and returns only slots whose champion changed", async () => {
    const announce = (model: string) => sql`
      insert into told_champions as t (slot_id, model_v) values (${slotId}, ${model})
      on conflict (slot_id) do update set model_v = excluded.model_v where t.model_v <> excluded.model_v
      returning t.slot_id`;
    expect(await announce("m1")).toHaveLength(1);
    expect(await announce("m1")).toHaveLength(0);
    expect(await announce("m2")).toHaveLength(1);
    expect(await sql`select model_v from announced_champions`).toEqual([{ model_v: "m2" }]);
  });
});
