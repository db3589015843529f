import type { CandleSeries } from "@/lib/market/candles";
import { candleCloseMs, parseTimeframe } from "@/lib/market/timeframes";
import { DAY_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";
import type { ReadBrokerCandles } from "./candle-readers";
import type { TerminalHttp } from "./terminal-http";
import type { Trader, TraderSignal } from "./trader";

const MAX_HISTORY = 1000;

interface Step {
  atMs: number;
  slot: string;
  candles: CandleSeries;
  index: number;
  signal: TraderSignal | null;
}

/**
 * Replays the recorded signals of every slot of the scan, candle by candle in order of time, as if each signal had just
 * arrived: those of the `days` before the slot's newest signal, at most its newest 1,000. Positions still open at the
 * end stay open.
 */
export async function replaySignals(
  http: TerminalHttp,
  trader: Trader,
  prices: ReadBrokerCandles,
  days: number,
): Promise<void> {
  const scan = await http.send("GET", "/api/scan");
  if (scan.status !== 200) throw new Error(`the scan returned ${scan.status}`);
  const steps: Step[] = [];
  for (const item of JSON.parse(scan.body).items) {
    const timeframe = parseTimeframe(item.timeframe);
    const candles = timeframe && (await prices(item.symbol, timeframe));
    if (timeframe && candles) steps.push(...(await stepsOf(http, item.symbol, timeframe, candles, days)));
  }
  steps.sort((a, b) => a.atMs - b.atMs);
  for (const step of steps) {
    await trader.advance(step.slot, step.candles, step.index);
    if (step.signal) await trader.follow(step.signal, step.candles, step.index);
  }
}

async function stepsOf(
  http: TerminalHttp,
  symbol: string,
  timeframe: Timeframe,
  candles: CandleSeries,
  days: number,
): Promise<Step[]> {
  const answer = await http.send(
    "GET",
    `/api/signals/${symbol.toLowerCase()}/${timeframe}/?limit=${MAX_HISTORY}`,
  );
  if (answer.status !== 200)
    throw new Error(`the history of ${symbol} ${timeframe} answered ${answer.status}`);
  const signals = new Map<number, TraderSignal>();
  for (const item of JSON.parse(answer.body)) {
    const tsMs = Date.parse(item.ts);
    signals.set(tsMs, { ...item, symbol, timeframe, expectedRr: item.expected_rr, tsMs });
  }
  const newest = Math.max(...signals.keys());
  const steps: Step[] = [];
  for (let index = 0; index < candles.ts.length; index++) {
    const ts = candles.ts[index] ?? 0;
    if (ts <= newest - days * DAY_MS || ts > newest) continue;
    const signal = signals.get(ts) ?? null;
    steps.push({
      atMs: candleCloseMs(ts, timeframe),
      slot: `${symbol}/${timeframe}`,
      candles,
      index,
      signal,
    });
  }
  return steps;
}
