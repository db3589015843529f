import type { Handle } from "@/db/client";
import { readLedgerState } from "@/db/queries/ledger";
import {
  listModelEntries,
  listRecordSlots,
  type ModelEntryRow,
  type RecordSlotRow,
} from "@/db/queries/record";
import { listChangedDays, listEveryDay, readLeaves } from "@/db/queries/record-sums";
import { processWide } from "@/lib/runtime/process-wide";
import { inOneSnapshot, type Named, type RecordSelection, selectionOf } from "./selection";
import { SlotRecord } from "./slot-record";

/**
 * The record's sums by day are kept in each process, and what changed since is read for each answer: a few days of a slot,
 * by the size of the ledger that they were changed with. An answer is made of one state of the database all the same.
 */

/** Bytes of sums that a process keeps: 50 slots over ten years. Slots that were not asked for lately go first. */
const MOST_BYTES = 128 * 1024 * 1024;

/** Slots that are read from nothing in one statement, so that none takes long; what was read stays if a later one fails. */
const SLOTS_AT_ONCE = 8;

/** Something as it was at a size of the ledger, whose last entry had this hash, since the sums were begun. */
interface AsOf<T> {
  value: T;
  size: number;
  epoch: number;
  leaf: string | null;
}

class KeptRecord {
  readonly slots = new Map<number, AsOf<SlotRecord>>();
  modelEntries: AsOf<readonly ModelEntryRow[]> | null = null;
  #bytes = 0;

  constructor(readonly mostBytes: number) {}

  /** Keeps a slot as it is in the snapshot of a reading that found `before`, unless a later reading was faster. */
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

const cachedRecord = () => processWide("kept-record", () => new KeptRecord(MOST_BYTES));

/** The record at one size of the ledger. */
export interface RecordNow {
  ledgerSize: number;
  /** Every slot that there is. */
  slots: RecordSlotRow[];
  selection: RecordSelection;
  /** The whole record of the slots that the question selects; those without a result are left out. */
  records: Map<number, SlotRecord>;
}

/**
 * Reads the record of the slots that a question names, and what `read` reads beside it, on one state of the database.
 * Throws 404 when the question names a slot or model that is not there.
 */
export async function atLedger<T>(
  query: Named,
  read: (record: RecordNow, snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const kept = cachedRecord();
  // Taken before the snapshot is: what is kept is never newer than it.
  const before = { slots: new Map(kept.slots), modelEntries: kept.modelEntries };
  return inOneSnapshot(async (tx) => {
    const slots = await listRecordSlots(tx);
    const selection = await selectionOf(tx, query, slots);
    const { folded: size, recordEpoch } = await readLedgerState(tx);
    const sizes = [...before.slots.values(), ...(before.modelEntries ? [before.modelEntries] : [])].map(
      (held) => held.size,
    );
    const leaves = await readLeaves(
      tx,
      [...new Set([size, ...sizes])].map((one) => one - 1),
    );
    const snapshot = new Snapshot(tx, kept, before, { size, epoch: recordEpoch }, leaves);
    const { slotIds } = selection;
    const wanted = slotIds === undefined ? slots : slots.filter(({ slotId }) => slotIds.includes(slotId));
    return read({ ledgerSize: size, slots, selection, records: await snapshot.records(wanted) }, snapshot);
  });
}

/** One state of the database, and what was kept when it was opened. */
export class Snapshot {
  constructor(
    readonly tx: Handle,
    private readonly kept: KeptRecord,
    private readonly before: Pick<KeptRecord, "slots" | "modelEntries">,
    private readonly state: { size: number; epoch: number },
    private readonly leaves: ReadonlyMap<number, string>,
  ) {}

  private get size(): number {
    return this.state.size;
  }

  async records(wanted: readonly RecordSlotRow[]): Promise<Map<number, SlotRecord>> {
    const bases = new Map(
      wanted.flatMap(({ slotId }) => {
        const base = this.before.slots.get(slotId);
        return base && this.#goesOn(base) ? [[slotId, base] as const] : [];
      }),
    );
    const changed = await listChangedDays(
      this.tx,
      [...bases].flatMap(([slotId, { size }]) => (size < this.size ? [{ slotId, size }] : [])),
    );
    const days = new Map(changed.map((slot) => [slot.slotId, slot.days]));
    const records = new Map<number, SlotRecord>();
    const add = (record: SlotRecord) => {
      this.kept.keep(this.#asOf(record), this.before.slots.get(record.slotId));
      if (record.days.length > 0) records.set(record.slotId, record);
    };
    for (const [slotId, base] of bases) add(base.value.with(days.get(slotId) ?? []));
    const missing = wanted.filter(({ slotId }) => !bases.has(slotId));
    for (let i = 0; i < missing.length; i += SLOTS_AT_ONCE) {
      const some = missing.slice(i, i + SLOTS_AT_ONCE);
      const ids = some.map(({ slotId }) => slotId);
      const every = new Map((await listEveryDay(this.tx, ids)).map((slot) => [slot.slotId, slot.days]));
      for (const { slotId, timeframe } of some)
        add(SlotRecord.of(slotId, timeframe, every.get(slotId) ?? []));
    }
    return records;
  }

  /** Every promotion and claim in the ledger, in its order. */
  async modelEntries(): Promise<readonly ModelEntryRow[]> {
    const { modelEntries: held } = this.before;
    const base = held && this.#goesOn(held) ? held : null;
    if (base?.size === this.size) return base.value;
    const fresh = await listModelEntries(this.tx, base?.size ?? 0);
    const entries = fresh.length === 0 && base ? base.value : [...(base?.value ?? []), ...fresh];
    const now = this.kept.modelEntries;
    if (now === null || now === held || now.size <= this.size) this.kept.modelEntries = this.#asOf(entries);
    return entries;
  }

  /** Whether this state goes on from one that is kept. It does not where an older backup was restored, or the sums were begun again. */
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
