import { wilderAtr } from "@/lib/engine/atr";
import { type CandleSeries, sliceCandles } from "@/lib/market/candles";
import { candleCloseMs } from "@/lib/market/timeframes";
import type { Timeframe } from "@/lib/vocabulary";
import { type TerminalHttp, terminalTime } from "./terminal-http";

/** The fields of a signal that the client uses. */
export interface TraderSignal {
  symbol: string;
  timeframe: Timeframe;
  signal: string;
  confidence: number;
  expectedRr: number;
  tsMs: number;
}

interface Position {
  ticket: string;
  symbol: string;
  timeframe: Timeframe;
  side: 1 | -1;
  entry: number;
  /** Price distance between entry and stop. */
  distance: number;
  stop: number;
  /** Null: the signal has no target, so the position ends at its stop or at the horizon. */
  target: number | null;
  openedMs: number;
  candlesLeft: number;
  confidence: number;
}

export interface AcknowledgedReport {
  event: "opened" | "closed";
  ticket: string;
  action: string;
  pnl?: number;
}

const HORIZON_CANDLES = 12;
/** Money at risk between entry and stop, the same for every instrument. */
const RISK = 100;

/**
 * Follows signals with one position per slot: entry at the close of the signal's candle, stop two ATRs away, target
 * `expected_rr` times as far, exit after twelve candles. Every opening and closing is reported, and written into a
 * journal once the server has acknowledged it.
 */
export class Trader {
  readonly journal: AcknowledgedReport[] = [];
  readonly open = new Map<string, Position>();
  #nextTicket: bigint;

  constructor(
    readonly http: TerminalHttp,
    readonly brokerSuffix: string,
    firstTicket: bigint,
  ) {
    this.#nextTicket = firstTicket;
  }

  /**
   * Opens a position for a new signal. `index` is the position of the signal's candle in `candles`, the broker's
   * prices.
   */
  async follow(signal: TraderSignal, candles: CandleSeries, index: number): Promise<void> {
    const slot = `${signal.symbol}/${signal.timeframe}`;
    if (signal.signal !== "BUY" && signal.signal !== "SELL") return;
    if (this.open.has(slot)) return;
    const entry = candles.close[index];
    const distance = 2 * (wilderAtr(sliceCandles(candles, 0, index + 1), 14)[index] ?? Number.NaN);
    if (entry === undefined || !(distance > 0)) return;
    const side = signal.signal === "BUY" ? 1 : -1;
    const position: Position = {
      ticket: String(this.#nextTicket++),
      symbol: signal.symbol,
      timeframe: signal.timeframe,
      side,
      entry,
      distance,
      stop: entry - side * distance,
      target: signal.expectedRr > 0 ? entry + side * distance * signal.expectedRr : null,
      openedMs: candleCloseMs(signal.tsMs, signal.timeframe),
      candlesLeft: HORIZON_CANDLES,
      confidence: signal.confidence,
    };
    this.open.set(slot, position);
    const action = await this.#report(openingOf(position, this.brokerSuffix));
    this.journal.push({ event: "opened", ticket: position.ticket, action });
  }

  /**
   * Checks the slot's position against the candle at `index`, and closes it at a touched level or after its twelfth
   * candle.
   */
  async advance(slot: string, candles: CandleSeries, index: number): Promise<void> {
    const position = this.open.get(slot);
    const high = candles.high[index];
    const low = candles.low[index];
    const close = candles.close[index];
    const ts = candles.ts[index];
    if (!position || high === undefined || low === undefined || close === undefined || ts === undefined)
      return;
    const closedMs = candleCloseMs(ts, position.timeframe);
    if (closedMs <= position.openedMs) return;
    position.candlesLeft--;
    const [against, towards] = position.side === 1 ? [low, high] : [high, low];
    if (position.side * (against - position.stop) <= 0)
      await this.#close(slot, position, position.stop, "SL", closedMs);
    else if (position.target !== null && position.side * (towards - position.target) >= 0)
      await this.#close(slot, position, position.target, "TP", closedMs);
    else if (position.candlesLeft === 0) await this.#close(slot, position, close, "TIMEOUT", closedMs);
  }

  async #close(
    slot: string,
    position: Position,
    price: number,
    result: string,
    closedMs: number,
  ): Promise<void> {
    const multiple = (position.side * (price - position.entry)) / position.distance;
    // Adding 0 turns -0 into 0, as other programs write it.
    const pnl = Math.round(multiple * RISK * 100) / 100 + 0;
    this.open.delete(slot);
    const action = await this.#report(
      `{"ticket":"${position.ticket}","closed_at":"${terminalTime(closedMs)}","exit_price":"${price.toFixed(8)}","pnl":"${pnl.toFixed(2)}","result":"${result}","magic":7}`,
    );
    this.journal.push({ event: "closed", ticket: position.ticket, action, pnl });
  }

  async #report(json: string): Promise<string> {
    const answer = await this.http.send("POST", "/api/executions/", json);
    if (answer.status !== 201)
      throw new Error(`the report was refused with ${answer.status}: ${answer.body}`);
    // Like many real clients, searches the text for the field instead of parsing the JSON.
    return /"action":"(\w+)"/.exec(answer.body)?.[1] ?? "unknown";
  }
}

function openingOf(position: Position, suffix: string): string {
  return (
    `{"ticket":"${position.ticket}","symbol":"${position.symbol}${suffix}","timeframe":"PERIOD_${position.timeframe}",` +
    `"signal":"${position.side === 1 ? "buy" : "sell"}","confidence":"${position.confidence.toFixed(4)}",` +
    `"opened_at":"${terminalTime(position.openedMs)}","closed_at":"1970.01.01 00:00:00","entry_price":"${position.entry.toFixed(8)}",` +
    `"exit_price":0,"pnl":0,"result":"","comment":"follows"}`
  );
}
