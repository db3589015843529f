import type { Timeframe } from "@/lib/vocabulary";

/** A symbol and timeframe that a feed brings, and what its source calls the symbol. */
export interface FeedSlot {
  symbol: string;
  timeframe: Timeframe;
  instrument: string;
}

/** A candle as a source sent it. */
export interface SentCandle {
  /** Open time. */
  ts: Date;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number | null;
  /** Whether the source says that it is closed; null: it does not say, and the clock decides. */
  isComplete: boolean | null;
}

export interface SentPage {
  /** Oldest first or not, each once or not. */
  candles: SentCandle[];
  /** What the source's clock shows; null: it does not say. */
  now: Date | null;
}

/** Rows of open time in milliseconds, open, high, low, close and volume, as libraries give them; null: they are none. */
export function readRows(rows: unknown): SentCandle[] | null {
  if (!Array.isArray(rows)) return null;
  return rows.map((row: unknown) => {
    const [ts, open, high, low, close, volume]: unknown[] = Array.isArray(row) ? row : [];
    const number = (value: unknown) => (typeof value === "number" ? value : Number.NaN);
    return {
      ts: new Date(number(ts)),
      open: number(open),
      high: number(high),
      low: number(low),
      close: number(close),
      volume: typeof volume === "number" ? volume : null,
      isComplete: null,
    };
  });
}

/** A provider that is asked for candles. */
export interface CandleSource {
  /** As MARKET_FEED names it. */
  name: string;
  slots: readonly FeedSlot[];
  /** Most candles that one reading brings. */
  pageSize: number;
  /** At most `limit` candles of a slot that open at `from` or later. Throws FeedFailure. */
  read(slot: FeedSlot, from: Date, limit: number, signal: AbortSignal): Promise<SentPage>;
  close?(): Promise<void>;
}

/** What a failed reading means for what comes next. */
export type FailureKind =
  /** Too much was asked for: nothing more of the whole feed before `waitMs` is over. */
  | "wait"
  /** Repeating helps: the source is away, or its answer was spoilt. */
  | "failed"
  /** Repeating does not help: a person has to change something. */
  | "refused";

/** A reading that brought nothing. The message is ours, for the administrator's page: never what the source wrote. */
export class FeedFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly waitMs = 0,
  ) {
    super(message);
    this.name = "FeedFailure";
  }
}
