import { NO_TRADE } from "@/lib/engine/classes";
import { elementOrNaN } from "@/lib/engine/column";
import type { FeatureTable } from "@/lib/engine/features";
import { type Matrix, makeMatrix } from "@/lib/engine/matrix";

const WEEK_HOURS = 168;
const DAY_HOURS = 24;
/**
 * Shrinkage in candles: an hour of the week with this many candles counts as much as its hour of the day, and an hour
 * of the day as much as the whole sample.
 */
const PROFILE_WEIGHT = 60;
/** Limit of a standardised value, in standard deviations: one flash crash must not dominate a fit. */
const CLIP = 5;

/**
 * Parameters that turn raw features into the columns that models see. They are learnt on training rows only.
 *
 * Missing values become the mean; columns are standardised and clipped. Odd features keep the mean 0, so that
 * an inverted market gives exactly the mirrored row. One column is added: the log odds of NO_TRADE at this
 * hour of the week, shrunk to its hour of the day and that to the whole sample.
 */
export interface Preparation {
  /**
   * Mean of each column over the training rows, to standardise it: first the features, then the added column.
   * `deviations` holds the standard deviations in the same order.
   */
  means: number[];
  deviations: number[];
  /** Log odds of NO_TRADE for each New York hour of the week. */
  quietProfile: number[];
}

/**
 * Name of the column that {@link prepareRows} adds after the features: the log odds of NO_TRADE at the hour of the
 * week.
 */
export const QUIET_HOURS_COLUMN = "quiet_hours";

/**
 * Learns a preparation from training rows.
 *
 * @param rows training rows, indices into the table; @param labels one class per candle of the table
 */
export function fitPreparation(
  table: FeatureTable,
  rows: ArrayLike<number>,
  labels: ArrayLike<number>,
): Preparation {
  const quietProfile = fitQuietProfile(table.hourOfWeek, rows, labels);
  const { columns, values } = table.matrix;
  const width = columns + 1;
  const quiet = Float64Array.from(quietProfile);
  const counts = new Float64Array(width);
  const sums = new Float64Array(width);
  const squares = new Float64Array(width);
  // Rows outside, columns inside, as in memory: the other order is several times slower.
  for (let r = 0; r < rows.length; r++) {
    const row = rows[r] ?? 0;
    for (let j = 0; j < width; j++) {
      const value =
        j < columns
          ? elementOrNaN(values, row * columns + j)
          : elementOrNaN(quiet, table.hourOfWeek[row] ?? 0);
      if (Number.isNaN(value)) continue;
      counts[j] = elementOrNaN(counts, j) + 1;
      sums[j] = elementOrNaN(sums, j) + value;
    }
  }
  const means = sums.map((sum, j) =>
    table.definitions[j]?.parity === "odd" || counts[j] === 0 ? 0 : sum / elementOrNaN(counts, j),
  );
  for (let r = 0; r < rows.length; r++) {
    const row = rows[r] ?? 0;
    for (let j = 0; j < width; j++) {
      const value =
        j < columns
          ? elementOrNaN(values, row * columns + j)
          : elementOrNaN(quiet, table.hourOfWeek[row] ?? 0);
      if (!Number.isNaN(value)) squares[j] = elementOrNaN(squares, j) + (value - elementOrNaN(means, j)) ** 2;
    }
  }
  // A constant column is 0 after centring, so any divisor works.
  const deviations = squares.map((square, j) =>
    square > 0 ? Math.sqrt(square / elementOrNaN(counts, j)) : 1,
  );
  return { means: [...means], deviations: [...deviations], quietProfile };
}

/** The prepared columns of some rows: the table's features, then the quiet-hours profile. */
export function prepareRows(preparation: Preparation, table: FeatureTable, rows: ArrayLike<number>): Matrix {
  const { columns, values } = table.matrix;
  const width = columns + 1;
  const means = Float64Array.from(preparation.means);
  const deviations = Float64Array.from(preparation.deviations);
  const quiet = Float64Array.from(preparation.quietProfile);
  const prepared = makeMatrix(rows.length, width);
  for (let r = 0; r < rows.length; r++) {
    const row = rows[r] ?? 0;
    for (let j = 0; j < width; j++) {
      const raw =
        j < columns
          ? elementOrNaN(values, row * columns + j)
          : elementOrNaN(quiet, table.hourOfWeek[row] ?? 0);
      const value = Number.isNaN(raw) ? 0 : (raw - elementOrNaN(means, j)) / elementOrNaN(deviations, j);
      prepared.values[r * width + j] = Math.max(-CLIP, Math.min(CLIP, value));
    }
  }
  return prepared;
}

function fitQuietProfile(
  hourOfWeek: Uint8Array,
  rows: ArrayLike<number>,
  labels: ArrayLike<number>,
): number[] {
  const quiet = { week: new Float64Array(WEEK_HOURS), day: new Float64Array(DAY_HOURS), all: 0 };
  const total = { week: new Float64Array(WEEK_HOURS), day: new Float64Array(DAY_HOURS), all: 0 };
  for (let r = 0; r < rows.length; r++) {
    const row = rows[r] ?? 0;
    const hour = hourOfWeek[row] ?? 0;
    const isQuiet = labels[row] === NO_TRADE ? 1 : 0;
    for (const [sums, amount] of [[quiet, isQuiet] as const, [total, 1] as const]) {
      sums.week[hour] = elementOrNaN(sums.week, hour) + amount;
      sums.day[hour % DAY_HOURS] = elementOrNaN(sums.day, hour % DAY_HOURS) + amount;
      sums.all += amount;
    }
  }
  const overall = (quiet.all + 1) / (total.all + 2);
  return Array.from({ length: WEEK_HOURS }, (_, hour) => {
    const day = hour % DAY_HOURS;
    const ofDay =
      (elementOrNaN(quiet.day, day) + PROFILE_WEIGHT * overall) /
      (elementOrNaN(total.day, day) + PROFILE_WEIGHT);
    const share =
      (elementOrNaN(quiet.week, hour) + PROFILE_WEIGHT * ofDay) /
      (elementOrNaN(total.week, hour) + PROFILE_WEIGHT);
    return Math.log(share / (1 - share));
  });
}
