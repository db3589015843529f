import { call } from "./api";

const HOUR_MS = 3_600_000;

export interface SlotOptions {
  symbol: string;
  timeframe?: "H1" | "H4";
}

/** Opening time of an hourly candle: with 0 the newest closed one, with 1 the one before, and so on. */
export function hourlyCandleOpenTime(back: number): Date {
  return new Date((Math.floor(Date.now() / HOUR_MS) - 1 - back) * HOUR_MS);
}

export interface SignalOptions {
  symbol?: string;
  timeframe?: string;
  ts?: Date;
  signal?: "BUY" | "SELL" | "NO_TRADE";
  probs?: [buy: number, sell: number, no: number];
  expected_rr?: number;
  regime?: string;
  model_v?: string;
}

/** A signal as an operator's own model sends it to the ingest endpoint. */
export function signalItem(wish: SignalOptions = {}) {
  const [prob_buy, prob_sell, prob_no] = wish.probs ?? [0.5, 0.3, 0.2];
  return {
    symbol: wish.symbol ?? "EURUSD",
    timeframe: wish.timeframe ?? "H1",
    signal: wish.signal ?? "BUY",
    confidence: Math.max(prob_buy, prob_sell, prob_no),
    prob_buy,
    prob_sell,
    prob_no,
    regime: wish.regime ?? "TREND_UP",
    expected_rr: wish.expected_rr ?? 1.5,
    ts: (wish.ts ?? hourlyCandleOpenTime(0)).toISOString(),
    model_v: wish.model_v ?? "m1",
  };
}

/** Sends items to an ingest endpoint and asserts that they were accepted. */
export async function ingest(
  kind: "candles" | "models" | "signals" | "features",
  items: unknown[],
): Promise<{ accepted: number; duplicates: number }> {
  const answered = await call("POST", `/admin/ingest/${kind}`, { admin: true, body: { items } });
  if (answered.status !== 200) throw new Error(`ingest ${kind}: ${answered.text}`);
  return answered.json;
}

/** An active model of a slot. */
export function modelItem(symbol: string, timeframe = "H1", extra: Record<string, unknown> = {}) {
  return {
    symbol,
    tf_code: timeframe,
    model_v: "m1",
    auc_wf: 0.55,
    pf_wf: 1.1,
    is_active: true,
    trained_at: "2026-01-01T00:00:00Z",
    ...extra,
  };
}

export interface Candle {
  open: number;
  high: number;
  low: number;
  close: number;
}

/** Candles as sent to the ingest endpoint, hourly and oldest first; the last one opens at `hourlyCandleOpenTime(back)`. */
export function hourCandles(symbol: string, candles: Candle[], back = 0) {
  return candles.map((candle, i) => ({
    symbol,
    timeframe: "H1",
    ts: hourlyCandleOpenTime(back + candles.length - 1 - i).toISOString(),
    ...candle,
  }));
}
