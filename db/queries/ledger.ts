import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import type { CalendarName, CostUnit, Direction, ExitReason, LedgerKind, Timeframe } from "@/lib/vocabulary";
import {
  boolean,
  columns,
  json,
  number,
  type Row,
  safeInteger,
  safeIntegerOrNull,
  text,
  timestamp,
  timestampOrNull,
} from "./columns";
import { array } from "./parameters";
import { SIGNAL_CONTENT_COLUMNS } from "./signals";

const STATE = columns({
  /** Number of entries. */
  size: safeInteger("size"),
  /** `signals.seq` up to which signals have been entered into the ledger or left out of it, such as backfilled ones. */
  lastSeq: safeInteger("last_seq"),
  /** Why the service refuses to sign checkpoints; null: it signs. */
  refusal: text<string | null>("refusal"),
  /** Number of ledger entries that the public record's sums include. */
  folded: safeInteger("folded"),
  /** Version of the rule by which the public record's sums were computed. */
  recordRule: text<string | null>("record_rule"),
  /** How often the public record's sums were restarted from zero. */
  recordEpoch: number("record_epoch"),
  /** Time by the database's clock when this row was read. */
  now: timestamp("clock_timestamp()"),
});
export type LedgerState = Row<typeof STATE>;

/** State of the ledger, locked until commit, so that only one transaction at a time appends entries. */
export async function lockLedger(handle: DatabaseHandle): Promise<LedgerState> {
  return STATE.one(
    handle,
    // The clock is read after the lock is acquired, so that times of entries never go back.
    sql`with held as materialized (select * from ledger_state where id = 1 for update) select ${STATE.list} from held`,
  );
}

export async function readLedgerState(handle: DatabaseHandle): Promise<LedgerState> {
  return STATE.one(handle, sql`select ${STATE.list} from ledger_state where id = 1`);
}

const AGE = columns({
  size: safeInteger("s.size"),
  refusal: text<string | null>("s.refusal"),
  /**
   * When the worker last entered or left out signals, or last added entries to the public record's sums; null: never.
   */
  settledAt: timestampOrNull("s.settled_at"),
  /** Size and time of the newest signed checkpoint; null: none. */
  signedSize: safeIntegerOrNull("c.size"),
  signedAt: timestampOrNull("c.at"),
});

/** Size, refusal and last progress of the ledger, and size and time of its newest checkpoint. */
export async function readLedgerProgress(handle: DatabaseHandle): Promise<Row<typeof AGE>> {
  return AGE.one(
    handle,
    sql`
    select ${AGE.list} from ledger_state s
      left join lateral (select size, at from ledger_checkpoints order by size desc limit 1) c on true
     where s.id = 1`,
  );
}

const SIGNAL = columns({
  signalId: safeInteger("g.id"),
  seq: safeInteger("g.seq"),
  slotId: number("g.slot_id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  /** The cost in the outcome's results, else the symbol's. */
  costKind: text<CostUnit>("coalesce(o.cost_kind, y.cost_kind)"),
  costValue: number("coalesce(o.cost_value, y.cost_value)"),
  ...SIGNAL_CONTENT_COLUMNS,
  closesAt: timestamp("g.closes_at"),
  createdAt: timestamp("g.created_at"),
  backfilled: boolean("g.backfilled"),
  beside: boolean("g.beside"),
  /**
   * Class frequencies (BUY, SELL, NO_TRADE) that the producer stated for the candle, else those of the model's training
   * sample when the signal was stored; null: not stated.
   */
  classFreq: json<number[] | null>("g.class_freq"),
  salt: text<string | null>("l.salt"),
  /** Whether the market was simulated when the signal was entered; null: not entered, or by release 1.3.0 or earlier. */
  wasSimulated: boolean<boolean | null>("l.simulated"),
  /** Whether the signal's outcome is still open. */
  isOpen: boolean("p.signal_id is not null"),
  label: text<Direction | null>("o.label"),
  entryPrice: number("o.entry_price"),
  barrierDistance: number("o.barrier_distance"),
  buyR: number("o.buy_r"),
  sellR: number("o.sell_r"),
  resultR: number<number | null>("o.result_r"),
  exitPrice: number<number | null>("o.exit_price"),
  exitReason: text<ExitReason | null>("o.exit_reason"),
  ruleVersion: text("o.rule_version"),
  endedAt: timestamp("o.ended_at"),
  /** Close of the last candle of the signal's horizon. */
  horizonEnd: timestamp("h.ts + (g.closes_at - g.ts)"),
});
type SignalRow = Row<typeof SIGNAL>;

/** The outcome of a signal. */
export type ResolvedOutcome = Pick<
  SignalRow,
  | "entryPrice"
  | "barrierDistance"
  | "buyR"
  | "sellR"
  | "resultR"
  | "exitPrice"
  | "exitReason"
  | "ruleVersion"
  | "endedAt"
  | "horizonEnd"
> & { label: Direction };

/** A signal for the ledger. `outcome` is null while the outcome is open, and if none could be computed. */
export type LedgerSignal = Omit<SignalRow, keyof ResolvedOutcome> & { outcome: ResolvedOutcome | null };

// `offset 0` keeps the planner, which expects thousands of signals, from reading all outcomes for a few signals.
const FROM_SIGNALS = (source: SQL, horizonCandles: number) => sql`
  from ${source}
  join slots s on s.id = g.slot_id
  join symbols y on y.symbol = s.symbol
  left join open_outcomes p on p.signal_id = g.id
  left join lateral (select * from outcomes where signal_id = g.id offset 0) o on true
  left join lateral (
    select ts from candles c where o.signal_id is not null and c.slot_id = g.slot_id and c.ts > g.ts
     order by ts offset ${horizonCandles - 1} limit 1) h on true`;

/** The first `limit` signals whose sequence number is above `after`, in that order, with their outcomes and stored salts. */
export async function listUnenteredSignals(
  handle: DatabaseHandle,
  wanted: { after: number; limit: number; horizonCandles: number },
): Promise<LedgerSignal[]> {
  const source = sql`(select * from signals where seq > ${wanted.after} order by seq limit ${wanted.limit}) g
    left join ledger_signals l on l.signal_id = g.id`;
  const rows = await SIGNAL.all(
    handle,
    sql`select ${SIGNAL.list} ${FROM_SIGNALS(source, wanted.horizonCandles)} order by g.seq`,
  );
  return rows.map(withOutcome);
}

/**
 * Signals in the ledger that have no outcome entry although their outcome is no longer open: it was resolved, or none could
 * be computed. Ordered by the close of their candle.
 */
export async function listUnenteredOutcomes(
  handle: DatabaseHandle,
  wanted: { limit: number; horizonCandles: number },
): Promise<LedgerSignal[]> {
  const source = sql`(
    select l.signal_id, l.salt, l.simulated from ledger_signals l
     where l.outcome is null and not exists (select 1 from open_outcomes p where p.signal_id = l.signal_id)) l
    join signals g on g.id = l.signal_id`;
  const rows = await SIGNAL.all(
    handle,
    sql`select ${SIGNAL.list} ${FROM_SIGNALS(source, wanted.horizonCandles)}
         order by g.closes_at, g.seq limit ${wanted.limit}`,
  );
  return rows.map(withOutcome);
}

function withOutcome(row: SignalRow): LedgerSignal {
  const { label, entryPrice, barrierDistance, buyR, sellR, resultR, exitPrice, exitReason, ...signal } = row;
  const { ruleVersion, endedAt, horizonEnd, ...rest } = signal;
  return {
    ...rest,
    outcome:
      label === null
        ? null
        : {
            label,
            entryPrice,
            barrierDistance,
            buyR,
            sellR,
            resultR,
            exitPrice,
            exitReason,
            ruleVersion,
            endedAt,
            horizonEnd,
          },
  };
}

const OVERDUE = columns({
  seq: safeInteger("g.seq"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  calendar: text<CalendarName>("y.calendar"),
  ts: timestamp("g.ts"),
  closesAt: timestamp("g.closes_at"),
  /** Whether the slot still has a champion, which produces signals. */
  isOffered: boolean("exists (select 1 from models m where m.slot_id = g.slot_id and m.is_active)"),
  /** Whether the market was simulated when the signal was entered; null: entered by an earlier release. */
  wasSimulated: boolean<boolean | null>("g.simulated"),
});
/** A signal that was committed to the ledger and whose outcome should have been entered by now. */
export type OverdueCommitment = Row<typeof OVERDUE>;

// Uses the index of signals without an outcome entry: some dozens per slot.
const FROM_OVERDUE = ({ horizonCandles, hours }: { horizonCandles: number; hours: number }) => sql`
  from ledger_signals l
  join ledger_entries e on e.index = l.commitment
  join signals g on g.id = l.signal_id
 where l.outcome is null
   and e.at + ${horizonCandles} * (g.closes_at - g.ts) + make_interval(hours => ${hours}) < clock_timestamp()
   and not exists (
     select 1 from ledger_entries d where d.kind = 'delay' and d.subject = 'signal/' || g.seq)`;

/**
 * Signals whose commitment was entered into the ledger more than `horizonCandles` candle lengths and `hours` ago, and whose
 * outcome was not. Signals for which the ledger has an entry with the reason of the delay are left out. Oldest first.
 */
export async function listOverdueCommitments(
  handle: DatabaseHandle,
  wanted: { horizonCandles: number; hours: number; limit: number },
): Promise<OverdueCommitment[]> {
  return OVERDUE.all(
    handle,
    sql`
    select ${OVERDUE.list} from (select g.*, l.simulated ${FROM_OVERDUE(wanted)} order by g.seq limit ${wanted.limit}) g
      join slots s on s.id = g.slot_id join symbols y on y.symbol = s.symbol order by g.seq`,
  );
}

const OVERDUE_COUNT = columns({ n: number("count(*)::int") });

/** Number of the signals that listOverdueCommitments finds without a limit. */
export async function countOverdueCommitments(
  handle: DatabaseHandle,
  wanted: { horizonCandles: number; hours: number },
): Promise<number> {
  return (await OVERDUE_COUNT.one(handle, sql`select ${OVERDUE_COUNT.list} ${FROM_OVERDUE(wanted)}`)).n;
}

const DUE = columns({
  id: safeInteger("d.id"),
  kind: text<LedgerKind>("d.kind"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  content: json<LedgerOutboxContent>("d.content"),
});
/** Content of an entry that waits in the ledger's outbox, as JSON. */
export type LedgerOutboxContent = Record<string, null | boolean | number | string | (number | null)[]>;
export type LedgerOutboxRow = Row<typeof DUE>;

/** Deletes the oldest `limit` rows of the ledger's outbox and returns them, oldest first. */
export async function takeLedgerOutboxRows(
  handle: DatabaseHandle,
  limit: number,
): Promise<LedgerOutboxRow[]> {
  return DUE.all(
    handle,
    sql`
    with taken as (
      delete from ledger_outbox where id in (select id from ledger_outbox order by id limit ${limit}) returning *)
    select ${DUE.list} from taken d join slots s on s.id = d.slot_id order by d.id`,
  );
}

/** Adds an entry about a slot to the ledger's outbox; the worker enters it into the ledger. */
export async function insertLedgerOutboxRow(
  handle: DatabaseHandle,
  row: { kind: LedgerKind; slotId: number; content: LedgerOutboxContent },
): Promise<void> {
  await handle.execute(
    sql`insert into ledger_outbox (kind, slot_id, content) values (${row.kind}, ${row.slotId}, ${JSON.stringify(row.content)}::jsonb)`,
  );
}

export interface NewLedgerEntry {
  index: number;
  kind: LedgerKind;
  /** The object of the entry, such as `signal/17`. */
  subject: string;
  /** Canonical JSON, which the leaf hash covers. */
  content: string;
  leafHash: Uint8Array;
}

interface NodeRow {
  level: number;
  position: number;
  hash: Uint8Array;
}

const hex = (hash: Uint8Array) => Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("hex");
const hashes = (rows: readonly Uint8Array[]) => array(rows.map(hex), "text");

/** Appends entries to the ledger, all with the time `at`, and stores the hashes of the subtrees that they complete (`nodes`). */
export async function appendLedgerEntries(
  handle: DatabaseHandle,
  appended: { entries: NewLedgerEntry[]; nodes: NodeRow[]; at: Date },
): Promise<void> {
  const { entries, nodes } = appended;
  const now = sql`${appended.at.toISOString()}::timestamptz`;
  if (entries.length > 0) {
    await handle.execute(sql`
      insert into ledger_entries (index, kind, subject, content, leaf_hash, at)
      select index, kind, subject, content, decode(hash, 'hex'), ${now}
        from unnest(${array(
          entries.map((row) => row.index),
          "bigint",
        )}, ${array(
          entries.map((row) => row.kind),
          "text",
        )}, ${array(
          entries.map((row) => row.subject),
          "text",
        )}, ${array(
          entries.map((row) => row.content),
          "text",
        )}, ${hashes(entries.map((row) => row.leafHash))}) as t(index, kind, subject, content, hash)`);
  }
  if (nodes.length > 0) {
    await handle.execute(sql`
      insert into ledger_nodes (level, position, hash)
      select level, position, decode(hash, 'hex')
        from unnest(${array(
          nodes.map((row) => row.level),
          "int",
        )}, ${array(
          nodes.map((row) => row.position),
          "bigint",
        )}, ${hashes(nodes.map((row) => row.hash))}) as t(level, position, hash)`);
  }
}

/** Stores the progress of the ledger and of the public record's sums, which was made at `at`. */
export async function advanceLedger(
  handle: DatabaseHandle,
  to: { at: Date; size: number; lastSeq: number; folded: number },
): Promise<void> {
  await handle.execute(sql`
    update ledger_state
       set size = ${to.size}, last_seq = ${to.lastSeq}, folded = ${to.folded},
           settled_at = ${to.at.toISOString()}::timestamptz
     where id = 1`);
}

/** Hashes of these complete subtrees of the ledger's Merkle tree, in the given order. Throws if one is missing. */
export async function readSubtreeHashes(
  handle: DatabaseHandle,
  wanted: readonly { level: number; position: number }[],
): Promise<Uint8Array[]> {
  if (wanted.length === 0) return [];
  const rows = await handle.execute<{ hash: Uint8Array | null }>(sql`
    select case when t.level = 0 then (select leaf_hash from ledger_entries where index = t.position)
                else (select hash from ledger_nodes n where n.level = t.level and n.position = t.position) end as hash
      from unnest(${array(
        wanted.map(({ level }) => level),
        "int",
      )}, ${array(
        wanted.map(({ position }) => position),
        "bigint",
      )}) with ordinality as t(level, position, place)
     order by t.place`);
  return rows.map(({ hash }) => {
    if (hash === null) throw new Error("a subtree of the ledger is missing");
    return hash;
  });
}

/** Indexes of a signal's entries in the ledger (`commitment`, `reveal`, `outcome`); null: no such entry. */
export interface SignalLedgerEntries {
  signalId: number;
  slotId: number;
  /** Salt of the commitment, hexadecimal; null for a signal without a commitment. */
  salt: string | null;
  commitment: number | null;
  reveal: number | null;
  outcome: number | null;
  /** Whether the signal was committed in time. Ignored for a signal that is stored already. */
  inTime: boolean;
  /** Whether the market was simulated. Ignored for a signal that is stored already. */
  simulated: boolean;
}

/** Stores the entry indexes of signals. For a signal that is stored already, updates only `reveal` and `outcome`. */
export async function saveSignalLedgerEntries(
  handle: DatabaseHandle,
  rows: SignalLedgerEntries[],
): Promise<void> {
  if (rows.length === 0) return;
  const numbers = (pick: (row: SignalLedgerEntries) => number | null) => array(rows.map(pick), "bigint");
  await handle.execute(sql`
    insert into ledger_signals as l (signal_id, slot_id, salt, commitment, reveal, outcome, in_time, simulated)
    select * from unnest(${numbers((r) => r.signalId)}, ${array(
      rows.map((r) => r.slotId),
      "int",
    )}, ${array(
      rows.map((r) => r.salt),
      "text",
    )}, ${numbers((r) => r.commitment)}, ${numbers((r) => r.reveal)}, ${numbers((r) => r.outcome)}, ${flags(rows.map((r) => r.inTime))}, ${flags(rows.map((r) => r.simulated))})
    on conflict (signal_id) do update set reveal = excluded.reveal, outcome = excluded.outcome`);
}

const flags = (values: readonly boolean[]): SQL => sql`${array(values.map(String), "text")}::boolean[]`;

const OPEN_COMMITMENT = columns({
  signalId: safeInteger("l.signal_id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  ts: timestamp("g.ts"),
  closesAt: timestamp("g.closes_at"),
  committedAt: timestampOrNull("e.at"),
});

/** Signals in the ledger for which neither an outcome nor a decision whether they were committed in time is stored. */
export async function listUndecidedCommitments(
  handle: DatabaseHandle,
): Promise<Row<typeof OPEN_COMMITMENT>[]> {
  return OPEN_COMMITMENT.all(
    handle,
    sql`
    select ${OPEN_COMMITMENT.list} from ledger_signals l
      join signals g on g.id = l.signal_id
      join slots s on s.id = l.slot_id
      left join ledger_entries e on e.index = l.commitment
     where l.outcome is null and l.in_time is null`,
  );
}

/** Stores whether signals in the ledger were committed in time. A stored decision is kept. */
export async function recordCommittedInTime(
  handle: DatabaseHandle,
  rows: readonly { signalId: number; inTime: boolean }[],
): Promise<void> {
  if (rows.length === 0) return;
  await handle.execute(sql`
    update ledger_signals l set in_time = t.in_time
      from unnest(${array(
        rows.map((r) => r.signalId),
        "bigint",
      )}, ${flags(rows.map((r) => r.inTime))}) as t(signal_id, in_time)
     where l.signal_id = t.signal_id and l.in_time is null`);
}

const SEALED = columns({ from: timestamp("sealed_from"), to: timestamp("sealed_to") });

/** Open times of a slot's oldest and newest candle whose hash is in the ledger, locked until commit; null: none. */
export async function lockSealedCandleRange(
  handle: DatabaseHandle,
  slotId: number,
): Promise<Row<typeof SEALED> | null> {
  return SEALED.first(
    handle,
    sql`select ${SEALED.list} from sealed_candle_ranges where slot_id = ${slotId} for update`,
  );
}

/** Open times of a slot's oldest and newest candle whose hash is in the ledger; null: none. */
export async function findSealedCandleRange(
  handle: DatabaseHandle,
  slotId: number,
): Promise<Row<typeof SEALED> | null> {
  return SEALED.first(handle, sql`select ${SEALED.list} from sealed_candle_ranges where slot_id = ${slotId}`);
}

export async function saveSealedCandleRange(
  handle: DatabaseHandle,
  slotId: number,
  range: { from: Date; to: Date },
): Promise<void> {
  await handle.execute(sql`
    insert into sealed_candle_ranges (slot_id, sealed_from, sealed_to)
    values (${slotId}, ${range.from.toISOString()}::timestamptz, ${range.to.toISOString()}::timestamptz)
    on conflict (slot_id) do update set sealed_from = excluded.sealed_from, sealed_to = excluded.sealed_to`);
}

const CHECKPOINT = columns({
  size: safeInteger("size"),
  root: json<Uint8Array>("root"),
  note: text("note"),
  at: timestamp("at"),
});
export type CheckpointRow = Row<typeof CHECKPOINT>;

/** The newest signed checkpoint of the ledger; null: none is signed yet. */
export async function findNewestCheckpoint(handle: DatabaseHandle): Promise<CheckpointRow | null> {
  return CHECKPOINT.first(
    handle,
    sql`select ${CHECKPOINT.list} from ledger_checkpoints order by size desc limit 1`,
  );
}

const KEY = columns({
  id: number("id"),
  seedEncrypted: text("seed_encrypted"),
  /** Whether the key may sign: it is the first one, or the ledger has the entry of the hand-over by its predecessor. */
  isEntered: boolean(
    "id = 1 or exists (select 1 from ledger_entries where kind = 'handover' and subject = 'handover/' || id)",
  ),
});
export type LedgerKeyRow = Row<typeof KEY>;

/** The signing keys of the ledger, oldest first. */
export async function listLedgerKeys(handle: DatabaseHandle): Promise<LedgerKeyRow[]> {
  return KEY.all(handle, sql`select ${KEY.list} from ledger_keys order by id`);
}

/** Stores the encrypted seed of a signing key. An existing key with this id is kept. */
export async function insertLedgerKey(
  handle: DatabaseHandle,
  { id, seedEncrypted }: { id: number; seedEncrypted: string },
): Promise<void> {
  await handle.execute(
    sql`insert into ledger_keys (id, seed_encrypted) values (${id}, ${seedEncrypted}) on conflict do nothing`,
  );
}

const HEAD = columns({ head: text("size || ':' || encode(root, 'hex')") });

/**
 * Size and root of the ledger's newest checkpoint that was signed by this time, as `SIZE:ROOT` with the root in hexadecimal;
 * null: none. A reader who keeps it can detect with `verify.mjs --head` that the ledger was rewritten since.
 */
export async function findLedgerHead(handle: DatabaseHandle, by: Date): Promise<string | null> {
  const row = await HEAD.first(
    handle,
    sql`select ${HEAD.list} from ledger_checkpoints
         where at <= ${by.toISOString()}::timestamptz order by size desc limit 1`,
  );
  return row?.head ?? null;
}

/** Stores a checkpoint. For a size that is stored already, replaces the note only if the root is the same. */
export async function insertCheckpoint(
  handle: DatabaseHandle,
  row: Omit<CheckpointRow, "at">,
): Promise<void> {
  await handle.execute(sql`
    insert into ledger_checkpoints (size, root, note) values (${row.size}, decode(${hex(row.root)}, 'hex'), ${row.note})
    on conflict (size) do update set note = excluded.note where ledger_checkpoints.root = excluded.root`);
}

/** Stores why the service refuses to sign checkpoints; null: it signs. */
export async function setCheckpointRefusal(handle: DatabaseHandle, refusal: string | null): Promise<void> {
  await handle.execute(
    sql`update ledger_state set refusal = ${refusal} where id = 1 and refusal is distinct from ${refusal}::text`,
  );
}

const ENTRY = columns({
  index: safeInteger("index"),
  kind: text<LedgerKind>("kind"),
  subject: text("subject"),
  at: timestamp("at"),
  content: text("content"),
  leafHash: text("encode(leaf_hash, 'hex')"),
});

/** The ledger's entries between two indexes, both inclusive. */
export async function listLedgerEntryRows(handle: DatabaseHandle, range: { start: number; end: number }) {
  return ENTRY.all(
    handle,
    sql`select ${ENTRY.list} from ledger_entries where index between ${range.start} and ${range.end} order by index`,
  );
}

const BEGAN = columns({ simulated: boolean<boolean | null>("simulated") });

/**
 * Whether the ledger's signal with the lowest id was simulated; null: there is none, or an earlier release entered it.
 */
export async function isFirstSignalSimulated(handle: DatabaseHandle): Promise<boolean | null> {
  const [first] = await BEGAN.all(
    handle,
    sql`select ${BEGAN.list} from ledger_signals order by signal_id limit 1`,
  );
  return first?.simulated ?? null;
}
