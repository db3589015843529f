import type { Database } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { DAY_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";
import { FeedFailure, type FeedSlot, parseCandleRows, type SourceCandle } from "./source";
import { storeFeedCandles } from "./store-feed-candles";

const FEED = "dukascopy";

/** dukascopy-node's names of the timeframes. */
const TIMEFRAMES: Partial<Record<Timeframe, string>> = {
  M1: "m1",
  M5: "m5",
  M15: "m15",
  M30: "m30",
  H1: "h1",
  H4: "h4",
  D1: "d1",
};
const MINUTE_STRETCH_DAYS = 10;
const HOUR_STRETCH_MONTHS = 6;
const DAY_STRETCH_YEARS = 5;

/** The part of the library dukascopy-node that this service uses. */
export interface DukascopyLibrary {
  getHistoricalRates(config: {
    instrument: string;
    timeframe: string;
    dates: { from: Date; to: Date };
    priceType: "bid";
    format: "array";
    volumes: boolean;
    volumeUnits: "units";
    batchSize: number;
    pauseBetweenBatchesMs: number;
    retryCount: number;
    pauseBetweenRetriesMs: number;
  }): Promise<unknown>;
}
export type LoadDukascopy = () => Promise<DukascopyLibrary>;

/** Loads the optional library dukascopy-node. Throws FeedFailure if it is not installed. */
export const loadDukascopy: LoadDukascopy = async () => {
  // A variable, so that neither the compiler nor the bundler resolves the optional package.
  const name: string = "dukascopy-node";
  try {
    // The compiler cannot check this type, because the package is optional. A test calls the library where it is
    // installed.
    const library: DukascopyLibrary & { default?: DukascopyLibrary } = await import(
      /* webpackIgnore: true */ /* turbopackIgnore: true */ name
    );
    return library.default ?? library;
  } catch {
    throw new FeedFailure(
      "refused",
      "dukascopy-node is not installed: run npm install dukascopy-node@1.50.0",
    );
  }
};

/** Result of loading one period of a slot: how many candles Dukascopy sent, and how many of them were stored. */
export interface FilledPeriod {
  slot: FeedSlot;
  from: Date;
  to: Date;
  sent: number;
  stored: number;
}

/**
 * Fills gaps in the candles of some slots between two instants with bid candles of Dukascopy Bank, period by period.
 * Stored candles are kept, and a difference of more than 10 basis points between the closes is recorded. Throws
 * FeedFailure; candles of earlier periods then stay stored.
 */
export async function fillFromDukascopy(
  database: Database,
  { slots, from, to }: { slots: readonly FeedSlot[]; from: Date; to: Date },
  onFilled: (filled: FilledPeriod) => void,
  load: LoadDukascopy = loadDukascopy,
): Promise<void> {
  const history = await load();
  for (const slot of slots) {
    const timeframe = TIMEFRAMES[slot.timeframe];
    if (timeframe === undefined)
      throw new FeedFailure(
        "refused",
        `Dukascopy has no ${slot.timeframe} that begins where this service's does`,
      );
    for (let begin = from; begin < to; ) {
      const end = new Date(Math.min(stretchEndMs(begin, slot.timeframe), to.getTime()));
      const candles = await readStretch(history, slot, timeframe, begin, end);
      const { stored } = await storeFeedCandles(database, {
        feed: FEED,
        slot,
        candles,
        leads: false,
        receivedAt: await readClock(database),
      });
      onFilled({ slot, from: begin, to: end, sent: candles.length, stored });
      begin = end;
    }
  }
}

/**
 * End (epoch ms) of the period that begins at `begin`: up to 10 days of minute candles, 6 months of hours or 5 years of
 * days. It is also the end of one of the bank's files, which hold a day of minutes, a month of hours or a year of days.
 */
function stretchEndMs(begin: Date, timeframe: Timeframe): number {
  const [year, month] = [begin.getUTCFullYear(), begin.getUTCMonth()];
  if (timeframe.startsWith("M")) return (Math.floor(begin.getTime() / DAY_MS) + MINUTE_STRETCH_DAYS) * DAY_MS;
  return timeframe.startsWith("H")
    ? Date.UTC(year, month + HOUR_STRETCH_MONTHS)
    : Date.UTC(year + DAY_STRETCH_YEARS, 0);
}

async function readStretch(
  history: DukascopyLibrary,
  slot: FeedSlot,
  timeframe: string,
  from: Date,
  to: Date,
): Promise<SourceCandle[]> {
  const name = `${slot.symbol} ${slot.timeframe} from ${from.toISOString().slice(0, 10)}`;
  let rows: unknown;
  try {
    rows = await history.getHistoricalRates({
      instrument: slot.instrument.toLowerCase(),
      timeframe,
      dates: { from, to },
      priceType: "bid",
      format: "array",
      volumes: true,
      volumeUnits: "units",
      batchSize: 5,
      pauseBetweenBatchesMs: 500,
      // Without retries a file that fails to load is silently left out.
      retryCount: 3,
      pauseBetweenRetriesMs: 1_000,
    });
  } catch (error) {
    if (typeof error === "object" && error !== null && "validationErrors" in error)
      throw new FeedFailure("refused", `${name}: Dukascopy knows no ${slot.instrument}`);
    throw new FeedFailure("failed", `${name}: Dukascopy did not answer. Run it again from there.`);
  }
  const candles = parseCandleRows(rows);
  if (candles === null) throw new FeedFailure("failed", `${name}: Dukascopy's answer is of an unknown shape`);
  return candles;
}
