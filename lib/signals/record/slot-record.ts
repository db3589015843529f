import type { RecordDaySums } from "@/db/queries/record-sums";
import { groupBy } from "@/lib/runtime/group-by";
import { DAY_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";
import { evidenceOfSlot, figuresOfRecord, forecasterQualities } from "./figures";
import { type RecordSums, sumRecordDays } from "./sums";

/** Memory overhead of a day (object, sums, list entry) without its numbers, in bytes. */
const DAY_BYTES = 240;
const NUMBER_BYTES = 8;

/** Filter for a slot's record; days as `YYYY-MM-DD`, both inclusive. */
export interface RecordFilter {
  modelV?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const inOrder = (a: RecordDaySums, b: RecordDaySums): number =>
  a.day - b.day || (a.modelV < b.modelV ? -1 : a.modelV > b.modelV ? 1 : 0);

/** The record of one slot by day and model. Immutable; derived values are computed once. */
export class SlotRecord {
  #models: readonly string[] | null = null;
  #sums: RecordSums | null = null;
  #byModel: ReadonlyMap<string, RecordSums> | null = null;
  #figures: ReturnType<typeof figuresOfRecord> | null = null;
  #qualities: ReturnType<typeof forecasterQualities> | null = null;
  #evidence: ReturnType<typeof evidenceOfSlot> | null = null;

  private constructor(
    readonly slotId: number,
    readonly timeframe: Timeframe,
    readonly days: readonly RecordDaySums[],
  ) {}

  static of(slotId: number, timeframe: Timeframe, days: readonly RecordDaySums[]): SlotRecord {
    return new SlotRecord(slotId, timeframe, days.toSorted(inOrder));
  }

  /** A copy with these days added or replaced. */
  with(changed: readonly RecordDaySums[]): SlotRecord {
    if (changed.length === 0) return this;
    const days = [...this.days];
    for (const day of changed) {
      let [from, to] = [0, days.length];
      while (from < to) {
        const middle = (from + to) >> 1;
        const at = days[middle];
        if (at && inOrder(at, day) < 0) from = middle + 1;
        else to = middle;
      }
      const found = days[from];
      days.splice(from, found && inOrder(found, day) === 0 ? 1 : 0, day);
    }
    return new SlotRecord(this.slotId, this.timeframe, days);
  }

  /** The part of the record that a filter selects. */
  narrowed({ modelV, from, to }: RecordFilter): SlotRecord {
    if (modelV === undefined && from === undefined && to === undefined) return this;
    const [first, last] = [
      from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from) / DAY_MS,
      to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to) / DAY_MS,
    ];
    return new SlotRecord(
      this.slotId,
      this.timeframe,
      this.days.filter(
        (one) => one.day >= first && one.day <= last && (modelV === undefined || one.modelV === modelV),
      ),
    );
  }

  get sums(): RecordSums {
    this.#sums ??= sumRecordDays(this.days);
    return this.#sums;
  }

  get figures() {
    this.#figures ??= figuresOfRecord(this.sums);
    return this.#figures;
  }

  get qualities() {
    this.#qualities ??= forecasterQualities(this.sums);
    return this.#qualities;
  }

  get evidence() {
    this.#evidence ??= evidenceOfSlot(this.sums.series, this.timeframe);
    return this.#evidence;
  }

  /** Model versions with days in this record, in alphabetical order. */
  get models(): readonly string[] {
    this.#models ??= [...new Set(this.days.map(({ modelV }) => modelV))].toSorted();
    return this.#models;
  }

  /** The sums of each model alone. */
  get byModel(): ReadonlyMap<string, RecordSums> {
    this.#byModel ??= new Map(
      [...groupBy(this.days, ({ modelV }) => modelV)].map(([modelV, days]) => [modelV, sumRecordDays(days)]),
    );
    return this.#byModel;
  }

  /** Approximate size in bytes. */
  get bytes(): number {
    return this.days.reduce(
      (sum, { forecasts, results, bins }) =>
        sum + DAY_BYTES + NUMBER_BYTES * (forecasts.length + results.length + bins.length),
      0,
    );
  }
}
