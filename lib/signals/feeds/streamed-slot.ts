import { candleCloseMs } from "@/lib/market/timeframes";
import type { Timeframe } from "@/lib/vocabulary";
import type { SentCandle } from "./source";

/** So many candles of a stream must have been what the source gave when it was asked, before one is stored unasked. */
const AGREEMENTS = 10;
/** Candles that wait for the source to be asked. */
const KEPT = 20;

const PRICES = ["open", "high", "low", "close", "volume"] as const;

/**
 * What a stream shows of one slot. A candle of it is closed when the next one has begun, and believed when the last ones
 * were what the source said when it was asked: not every exchange sends how a candle ended.
 */
export class StreamedSlot {
  #newest: SentCandle | null = null;
  readonly #unchecked = new Map<number, SentCandle>();
  #agreements = 0;
  #hasErred = false;

  get isTrusted(): boolean {
    return this.#agreements >= AGREEMENTS && !this.#hasErred;
  }

  /** Forgets the candle that forms: a connection that ended may have ended before it. */
  reconnect(): void {
    this.#newest = null;
  }

  /** Takes what the stream sent, in whatever order, and returns the candles that have closed with it. */
  take(sent: readonly SentCandle[]): SentCandle[] {
    const closed: SentCandle[] = [];
    const ordered = sent
      .filter(({ ts }) => !Number.isNaN(ts.getTime()))
      .sort((a, b) => a.ts.getTime() - b.ts.getTime());
    // What a new connection knows of older candles may be from the one before.
    for (const candle of this.#newest === null ? ordered.slice(-1) : ordered) {
      if (this.#newest !== null && candle.ts < this.#newest.ts) continue;
      if (this.#newest !== null && candle.ts > this.#newest.ts) closed.push(this.#newest);
      this.#newest = candle;
    }
    for (const candle of closed) this.#unchecked.set(candle.ts.getTime(), candle);
    for (const [ts] of [...this.#unchecked].slice(0, -KEPT)) this.#unchecked.delete(ts);
    return closed;
  }

  /** Holds what the stream said against what the source says when asked, whose newest two candles may still change. */
  check(asked: readonly SentCandle[]): void {
    const times = [...new Set(asked.map(({ ts }) => ts.getTime()))].sort((a, b) => a - b);
    const openMs = times.at(-2) ?? 0;
    for (const candle of asked) {
      const ts = candle.ts.getTime();
      const streamed = this.#unchecked.get(ts);
      if (streamed === undefined) continue;
      const agrees = PRICES.every((name) => candle[name] === streamed[name]);
      if (!agrees && ts >= openMs) continue;
      this.#unchecked.delete(ts);
      if (agrees) this.#agreements++;
      else this.#hasErred = true;
    }
  }

  /**
   * The closed candles of the stream that follow, each right after the one before, on what the source said when asked:
   * those that had to wait because one before them was missing.
   */
  following(asked: readonly SentCandle[], timeframe: Timeframe): SentCandle[] {
    if (!this.isTrusted) return [];
    const closes = new Set(asked.map(({ ts }) => candleCloseMs(ts.getTime(), timeframe)));
    return [...this.#unchecked.values()].flatMap((candle) => {
      const openMs = candle.ts.getTime();
      if (!closes.has(openMs)) return [];
      closes.add(candleCloseMs(openMs, timeframe));
      return [{ ...candle, isComplete: true }];
    });
  }
}
