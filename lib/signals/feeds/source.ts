import type { Timeframe } from "@/lib/vocabulary";

/** A slot of a feed. `instrument` is the source's name of the symbol. */
export interface FeedSlot {
  symbol: string;
  timeframe: Timeframe;
  instrument: string;
}

/** A candle as received from a source. */
export interface SourceCandle {
  /** Open time. */
  ts: Date;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number | null;
  /** Whether the source marks the candle as closed; null: it marks none, so the time of receipt decides. */
  isComplete: boolean | null;
}

export interface SourcePage {
  /** Candles in any order, possibly with repetitions. */
  candles: SourceCandle[];
  /** The source's clock when it answered; null: unknown. */
  now: Date | null;
}

/**
 * Parses rows of [open time (epoch ms), open, high, low, close, volume], as libraries return them; null if `rows` is
 * not an array. What is missing or not a number becomes NaN (volume: null), and such a candle is refused when it is
 * stored.
 */
export function parseCandleRows(rows: unknown): SourceCandle[] | null {
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

/** A provider of candles. */
export interface CandleSource {
  /** Its name in MARKET_FEED. */
  name: string;
  slots: readonly FeedSlot[];
  /** Maximum number of candles per reading. */
  pageSize: number;
  /** At most `limit` candles of a slot that open at `from` or later. Throws FeedFailure. */
  read(slot: FeedSlot, from: Date, limit: number, signal: AbortSignal): Promise<SourcePage>;
  close?(): Promise<void>;
}

/** What to do after a failed reading. */
export type FailureKind =
  /** Rate limit: no request of this feed until `waitMs` is over. */
  | "wait"
  /** Worth retrying: the source is down, or its answer was damaged. */
  | "failed"
  /** Worth retrying only after a longer pause: an administrator must change something. */
  | "refused";

/** A failed reading. The administrator sees the message, so it never contains text that the source sent. */
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
