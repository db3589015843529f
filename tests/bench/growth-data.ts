import { once } from "node:events";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type postgres from "postgres";
import { uniformSource } from "@/lib/engine/random";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/lib/time";
import { fillProbes, fillSubscribers } from "./admin-data";
import { makeKeys } from "./service";

const SYMBOLS = Array.from({ length: 14 }, (_, i) => `GRO${String(i + 1).padStart(2, "0")}`);
/** Timeframes of the slots, shortest first. GROWTH_TIMEFRAMES replaces them, such as `M15,H1`. */
const NAMES = (process.env.GROWTH_TIMEFRAMES ?? "M1,M5,H1").split(",");
export const SHORTEST_TIMEFRAME = NAMES[0] ?? "M1";
const STEPS = NAMES.map((name): [timeframe: string, stepMs: number] => [
  name,
  Number(name.slice(1)) * (name.startsWith("H") ? HOUR_MS : MINUTE_MS),
]);

const HORIZON_CANDLES = 12;
/** One execution in this many belongs to the heavy subscriber, whose pages are measured. */
const HEAVY_EVERY = 10;

export interface GrowthVolume {
  signals: number;
  executions: number;
  candles: number;
  subscribers: number;
}

/**
 * Fills a migrated database, its largest tables by COPY: signals of 14 symbols on three timeframes (or
 * GROWTH_TIMEFRAMES) up to this minute, three in ten BUY or SELL, with an outcome if their horizon is over; candles;
 * executions, a tenth of them of one heavy subscriber. A slot's first model made the signals of the first half of the
 * time, its second model the rest. Ledger positions are stored without entries. Returns the heavy subscriber's key.
 */
export async function fillGrowth(sql: postgres.Sql, volume: GrowthVolume): Promise<string> {
  const slots = await fillReference(sql, volume.subscribers);
  const [key = ""] = await makeKeys(sql, 1, "owner");
  await sql`update api_keys set rate_limit_per_min = 100000`;
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const indexes = await dropIndexes(sql, ["signals", "outcomes", "executions", "candles"]);
  await fillSignals(sql, slots, volume.signals, now);
  await fillCandles(sql, slots, volume.candles, now);
  await fillExecutions(sql, volume, now);
  for (const definition of indexes) await sql.unsafe(definition);
  await sql`
    insert into latest_signals (slot_id, signal_id, ts, created_at)
    select s.id, g.id, g.ts, g.created_at from slots s
     cross join lateral (select * from signals where slot_id = s.id order by ts desc limit 1) g`;
  await sql`insert into open_outcomes (signal_id, slot_id, ts)
    select g.id, g.slot_id, g.ts from slots s
     cross join lateral (select * from signals where slot_id = s.id order by ts desc limit ${HORIZON_CANDLES}) g`;
  await sql`update state_versions set last_seq = (select max(seq) from signals)`;
  // Existing rows are not delivered to new webhooks or chats.
  await sql`update outbound_cursors set seq = (select max(seq) from signals)`;
  await fillLedger(sql);
  await fillExecutionSums(sql);
  await fillProbes(sql);
  // The triggers did not run, so every day is dirty, as after the migration of an older installation.
  await sql`select mark_every_day_dirty()`;
  await sql.unsafe("vacuum (analyze)");
  return key;
}

interface FilledSlot {
  id: number;
  stepMs: number;
}

async function fillReference(sql: postgres.Sql, subscribers: number): Promise<FilledSlot[]> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await fillSubscribers(tx, subscribers);
  });
  await sql`insert into symbols (symbol, calendar, digits) select unnest(${SYMBOLS}::text[]), 'crypto', 5`;
  await sql`insert into slots (symbol, timeframe)
    select s, t from unnest(${SYMBOLS}::text[]) s, unnest(${STEPS.map(([name]) => name)}::text[]) t`;
  await sql`
    insert into models (slot_id, model_v, auc_wf, pf_wf, is_active, trained_at, champion_since, class_freq)
    select id, 'growth-' || v, 0.53, 1.1, v = 2, now() - interval '400 days', now() - interval '30 days',
           case when id % 2 = 0 then array[0.3, 0.3, 0.4] end
      from slots, generate_series(1, 2) v`;
  const rows = await sql<{ id: number; timeframe: string }[]>`select id, timeframe from slots order by id`;
  const steps = new Map(STEPS);
  return rows.map(({ id, timeframe }) => ({ id, stepMs: steps.get(timeframe) ?? MINUTE_MS }));
}

/** Drops the indexes of these tables, except those of constraints. Returns the statements that create them again. */
async function dropIndexes(sql: postgres.Sql, tables: string[]): Promise<string[]> {
  const found = await sql<{ name: string; definition: string }[]>`
    select i.indexname as name, i.indexdef as definition from pg_indexes i
     where i.tablename in ${sql(tables)}
       and not exists (select 1 from pg_constraint c where c.conname = i.indexname)`;
  for (const { name } of found) await sql.unsafe(`drop index "${name}"`);
  return found.map(({ definition }) => definition);
}

/** Copies rows into a table without reference checks and triggers, which would only cost time for ten million rows. */
async function copy(
  sql: postgres.Sql,
  into: string,
  write: (line: (...values: (string | number)[]) => Promise<void> | void) => Promise<void>,
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`set local synchronous_commit = off`;
    const stream: Writable = await tx.unsafe(`copy ${into} from stdin`).writable();
    let lines: string[] = [];
    await write((...values) => {
      lines.push(values.join("\t"));
      if (lines.length < 500) return;
      const ready = stream.write(`${lines.join("\n")}\n`);
      lines = [];
      return ready ? undefined : once(stream, "drain").then(() => undefined);
    });
    stream.end(lines.length > 0 ? `${lines.join("\n")}\n` : "");
    await finished(stream);
  });
}

const DIRECTIONS = ["BUY", "SELL", "NO_TRADE"];
const REGIMES = ["RANGE", "TREND_UP", "TREND_DOWN", "VOLATILE"];

interface FilledSignal {
  id: number;
  slotId: number;
  ts: number;
  closesAt: number;
  modelV: string;
  probs: [number, number, number];
  signal: string;
}

/** The signals of all slots in order of time. Two passes with the same arguments give the same signals. */
function* signalsOf(slots: FilledSlot[], total: number, now: number): Generator<FilledSignal> {
  const perMinute = slots.reduce((sum, { stepMs }) => sum + MINUTE_MS / stepMs, 0);
  const minutes = Math.ceil(total / perMinute);
  const random = uniformSource(20);
  let id = 0;
  for (let ts = now - minutes * MINUTE_MS; ts < now; ts += MINUTE_MS) {
    for (const { id: slotId, stepMs } of slots) {
      if (ts % stepMs !== 0 || ts + stepMs > now) continue;
      const no = 0.25 + 0.4 * random();
      const buy = (1 - no) * (0.2 + 0.6 * random());
      const probs: [number, number, number] = [buy, 1 - no - buy, no];
      const drawn = random();
      const signal = drawn < 0.7 ? "NO_TRADE" : drawn < 0.85 ? "BUY" : "SELL";
      const modelV = ts < now - (minutes / 2) * MINUTE_MS ? "growth-1" : "growth-2";
      yield { id: ++id, slotId, ts, closesAt: ts + stepMs, modelV, probs, signal };
    }
  }
}

const iso = (ms: number) => new Date(ms).toISOString();

async function fillSignals(sql: postgres.Sql, slots: FilledSlot[], total: number, now: number) {
  await copy(
    sql,
    "signals (id, seq, slot_id, ts, closes_at, created_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr)",
    async (line) => {
      for (const { id, slotId, ts, closesAt, modelV, probs, signal } of signalsOf(slots, total, now)) {
        const closed = iso(closesAt);
        const figures = [Math.max(...probs), ...probs];
        const written = line(
          id,
          id,
          slotId,
          iso(ts),
          closed,
          closed,
          modelV,
          signal,
          ...figures,
          REGIMES[id % 4] ?? "",
          1.5,
        );
        if (written) await written;
      }
    },
  );
  await sql`select setval(pg_get_serial_sequence('signals', 'id'), (select max(id) from signals))`;
  const random = uniformSource(21);
  const steps = new Map(slots.map(({ id, stepMs }) => [id, stepMs]));
  await copy(
    sql,
    "outcomes (signal_id, slot_id, model_v, closes_at, signal, rule_version, entry_price, barrier_distance, label, buy_r, sell_r, result_r, exit_price, exit_reason, ended_at, resolved_at)",
    async (line) => {
      for (const { id, slotId, closesAt, modelV, probs, signal } of signalsOf(slots, total, now)) {
        const stepMs = steps.get(slotId) ?? MINUTE_MS;
        if (closesAt + HORIZON_CANDLES * stepMs > now) continue;
        const draw = random();
        const label = draw < probs[0] ? 0 : draw < probs[0] + probs[1] ? 1 : 2;
        const buyR = label === 0 ? 1.45 : label === 1 ? -1.05 : random() - 0.5;
        const sellR = label === 1 ? 1.45 : label === 0 ? -1.05 : random() - 0.5;
        const result = signal === "NO_TRADE" ? "\\N" : signal === "BUY" ? buyR : sellR;
        const endedAt = iso(closesAt + Math.ceil(HORIZON_CANDLES * random()) * stepMs);
        const reason = signal === "NO_TRADE" ? "\\N" : "TIMEOUT";
        const written = line(
          id,
          slotId,
          modelV,
          iso(closesAt),
          signal,
          "1",
          1.1,
          0.001,
          DIRECTIONS[label] ?? "",
          buyR,
          sellR,
          result,
          1.1,
          reason,
          endedAt,
          endedAt,
        );
        if (written) await written;
      }
    },
  );
}

async function fillCandles(sql: postgres.Sql, slots: FilledSlot[], total: number, now: number) {
  const perMinute = slots.reduce((sum, { stepMs }) => sum + MINUTE_MS / stepMs, 0);
  const minutes = Math.ceil(total / perMinute);
  await copy(sql, "candles (slot_id, ts, open, high, low, close, volume)", async (line) => {
    for (const { id, stepMs } of slots) {
      const from = Math.ceil((now - minutes * MINUTE_MS) / stepMs) * stepMs;
      for (let ts = from; ts + stepMs <= now; ts += stepMs) {
        const base = 1.1 + 0.01 * Math.sin(ts / DAY_MS + id);
        const written = line(id, iso(ts), base, base + 0.001, base - 0.001, base + 0.0005, 100);
        if (written) await written;
      }
    }
  });
}

/** Inserts executions of the last year, a tenth of them of the heavy subscriber. */
async function fillExecutions(sql: postgres.Sql, volume: GrowthVolume, now: number) {
  await copy(
    sql,
    "executions (id, subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at, closed_at, entry_price, exit_price, pnl, result, updated_at)",
    async (line) => {
      for (let n = 1; n <= volume.executions; n++) {
        const subscription = n % HEAVY_EVERY === 0 ? volume.subscribers + 1 : 1 + (n % volume.subscribers);
        const opened =
          now - Math.round((365 * DAY_MS * (volume.executions - n)) / volume.executions) - HOUR_MS;
        const symbol = SYMBOLS[n % SYMBOLS.length] ?? "";
        const side = DIRECTIONS[n % 2] ?? "";
        const pnl = ((n % 200) - 95) / 10;
        const closed = iso(opened + 50 * MINUTE_MS);
        const written = line(
          n,
          subscription,
          n,
          symbol,
          symbol,
          "H1",
          side,
          iso(opened),
          closed,
          1.1,
          1.2,
          pnl,
          "TP",
          closed,
        );
        if (written) await written;
      }
    },
  );
  await sql`select setval(pg_get_serial_sequence('executions', 'id'), (select max(id) from executions))`;
}

/** First ledger index of the stored positions, far above the indexes that the ledger job assigns from 0. */
const FIRST_ENTRY = 1_000_000_000;

async function fillLedger(sql: postgres.Sql) {
  const indexes = await dropIndexes(sql, ["ledger_signals"]);
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into ledger_signals (signal_id, slot_id, commitment, reveal, outcome, in_time)
      select signal_id, slot_id, f + 3 * signal_id, f + 3 * signal_id + 1, f + 3 * signal_id + 2, true
        from outcomes, (select ${FIRST_ENTRY}::bigint as f) t`;
    await tx`update ledger_state set last_seq = (select max(seq) from signals)`;
  });
  for (const definition of indexes) await sql.unsafe(definition);
}

/** Inserts the rows that the triggers on executions would have written. */
async function fillExecutionSums(sql: postgres.Sql) {
  await sql`
    insert into execution_days (subscription_id, day, n_total, n_closed, n_wins, n_losses, gross_profit, gross_loss)
    select subscription_id, (opened_at at time zone 'UTC')::date, count(*), count(closed_at),
           count(*) filter (where pnl > 0), count(*) filter (where pnl < 0),
           coalesce(sum(pnl) filter (where pnl > 0), 0), coalesce(-sum(pnl) filter (where pnl < 0), 0)
      from executions group by 1, 2`;
  await sql`
    insert into execution_versions (subscription_id, version) select distinct subscription_id, 1 from executions`;
}
