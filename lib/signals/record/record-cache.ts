import type { DatabaseHandle } from "@/db/client";
import { readLedgerState } from "@/db/queries/ledger";
import { listModelEntries, listSlotNames, type ModelEntryRow, type SlotNameRow } from "@/db/queries/record";
import { listAllDaySums, listDaysChangedSince, readLedgerLeafHashes } from "@/db/queries/record-sums";
import { processWide } from "@/lib/runtime/process-wide";
import { type NamedSelection, type RecordSelection, selectionOf, withReadSnapshot } from "./selection";
import { SlotRecord } from "./slot-record";

/**
 * Each process caches the record's sums by day. For each answer it reads only the slots that are not cached, and of
 * cached slots the days that have changed since, which it finds by the ledger size at their change. An answer still
 * shows one snapshot of the database.
 */

/**
 * Maximum size of the cache in bytes: the daily sums of 50 slots over ten years. The least recently used slots are
 * dropped.
 */
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * Maximum number of uncached slots per statement, to keep each statement short. If a later statement fails, the slots
 * of the earlier ones stay cached.
 */
const SLOTS_AT_ONCE = 8;

/**
 * A cached value, and the state of the ledger that it belongs to: size, hash of the last entry (`leaf`), and how often
 * the sums have been restarted (`epoch`).
 */
interface AsOf<T> {
  value: T;
  size: number;
  epoch: number;
  leaf: string | null;
}

class RecordCache {
  readonly slots = new Map<number, AsOf<SlotRecord>>();
  modelEntries: AsOf<readonly ModelEntryRow[]> | null = null;
  #bytes = 0;

  constructor(readonly mostBytes: number) {}

  /**
   * Caches a slot's record, unless another request has cached a newer one meanwhile. `before` is what was cached when
   * the snapshot was opened.
   */
  keep(slot: AsOf<SlotRecord>, before: AsOf<SlotRecord> | undefined): void {
    const { slotId } = slot.value;
    const now = this.slots.get(slotId);
    if (now && now !== before && now.epoch === slot.epoch && now.size > slot.size) return;
    if (now?.value !== slot.value) this.#bytes += slot.value.bytes - (now?.value.bytes ?? 0);
    this.slots.delete(slotId);
    this.slots.set(slotId, slot);
    for (const [id, { value }] of this.slots) {
      if (this.#bytes <= this.mostBytes || id === slotId) break;
      this.#bytes -= value.bytes;
      this.slots.delete(id);
    }
  }
}

const cachedRecord = () => processWide("record-cache", () => new RecordCache(MAX_BYTES));

/** The record at one size of the ledger. */
export interface LoadedRecord {
  ledgerSize: number;
  /** All slots of the installation, selected or not. */
  slots: SlotNameRow[];
  selection: RecordSelection;
  /** The whole record of the selected slots with results. */
  records: Map<number, SlotRecord>;
}

/**
 * Loads the record of the selected slots and calls `read` with it, on one snapshot of the database. Returns the result
 * of `read`. Throws 404 for an unknown slot or model.
 */
export async function readRecordSnapshot<T>(
  query: NamedSelection,
  read: (record: LoadedRecord, snapshot: RecordSnapshot) => Promise<T>,
): Promise<T> {
  const cache = cachedRecord();
  // Copied before the snapshot is opened, so that no cached value is newer than the snapshot.
  const before = { slots: new Map(cache.slots), modelEntries: cache.modelEntries };
  return withReadSnapshot(async (tx) => {
    const slots = await listSlotNames(tx);
    const selection = await selectionOf(tx, query, slots);
    const { folded: size, recordEpoch } = await readLedgerState(tx);
    const sizes = [...before.slots.values(), ...(before.modelEntries ? [before.modelEntries] : [])].map(
      (held) => held.size,
    );
    const leaves = await readLedgerLeafHashes(
      tx,
      [...new Set([size, ...sizes])].map((one) => one - 1),
    );
    const snapshot = new RecordSnapshot(tx, cache, before, { size, epoch: recordEpoch }, leaves);
    const { slotIds } = selection;
    const wanted = slotIds === undefined ? slots : slots.filter(({ slotId }) => slotIds.includes(slotId));
    return read({ ledgerSize: size, slots, selection, records: await snapshot.records(wanted) }, snapshot);
  });
}

/** A snapshot of the database, with the cache from before it was opened. */
export class RecordSnapshot {
  constructor(
    readonly tx: DatabaseHandle,
    private readonly cache: RecordCache,
    private readonly before: Pick<RecordCache, "slots" | "modelEntries">,
    private readonly state: { size: number; epoch: number },
    private readonly leaves: ReadonlyMap<number, string>,
  ) {}

  private get size(): number {
    return this.state.size;
  }

  async records(wanted: readonly SlotNameRow[]): Promise<Map<number, SlotRecord>> {
    const bases = new Map(
      wanted.flatMap(({ slotId }) => {
        const base = this.before.slots.get(slotId);
        return base && this.#goesOn(base) ? [[slotId, base] as const] : [];
      }),
    );
    const changed = await listDaysChangedSince(
      this.tx,
      [...bases].flatMap(([slotId, { size }]) => (size < this.size ? [{ slotId, size }] : [])),
    );
    const days = new Map(changed.map((slot) => [slot.slotId, slot.days]));
    const records = new Map<number, SlotRecord>();
    const add = (record: SlotRecord) => {
      this.cache.keep(this.#asOf(record), this.before.slots.get(record.slotId));
      if (record.days.length > 0) records.set(record.slotId, record);
    };
    for (const [slotId, base] of bases) add(base.value.with(days.get(slotId) ?? []));
    const missing = wanted.filter(({ slotId }) => !bases.has(slotId));
    for (let i = 0; i < missing.length; i += SLOTS_AT_ONCE) {
      const some = missing.slice(i, i + SLOTS_AT_ONCE);
      const ids = some.map(({ slotId }) => slotId);
      const every = new Map((await listAllDaySums(this.tx, ids)).map((slot) => [slot.slotId, slot.days]));
      for (const { slotId, timeframe } of some)
        add(SlotRecord.of(slotId, timeframe, every.get(slotId) ?? []));
    }
    return records;
  }

  /** Every ledger entry of a promoted model or of a model's claimed figures, in the ledger's order. */
  async modelEntries(): Promise<readonly ModelEntryRow[]> {
    const { modelEntries: held } = this.before;
    const base = held && this.#goesOn(held) ? held : null;
    if (base?.size === this.size) return base.value;
    const fresh = await listModelEntries(this.tx, base?.size ?? 0);
    const entries = fresh.length === 0 && base ? base.value : [...(base?.value ?? []), ...fresh];
    const now = this.cache.modelEntries;
    if (now === null || now === held || now.size <= this.size) this.cache.modelEntries = this.#asOf(entries);
    return entries;
  }

  /**
   * Whether this snapshot extends a cached state. It does not after restoring an older backup, or after the
   * sums were restarted.
   */
  #goesOn({ size, epoch, leaf }: AsOf<unknown>): boolean {
    return epoch === this.state.epoch && size <= this.size && leaf === this.#leafOf(size);
  }

  #leafOf(size: number): string | null {
    return this.leaves.get(size - 1) ?? null;
  }

  #asOf<T>(value: T): AsOf<T> {
    return { value, size: this.size, epoch: this.state.epoch, leaf: this.#leafOf(this.size) };
  }
}
