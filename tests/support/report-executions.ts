/**
 * Reports invented positions of one subscriber through the API, one report for each position. The same seed, time and
 * count give the same history.
 */

export interface PositionHistoryOptions {
  baseUrl: string;
  key: string;
  count: number;
  /**
   * End of the history: positions open during about 240 days before it, and none closes later than a minute before it.
   */
  now: Date;
  seed?: number;
}

const SYMBOLS = [
  { symbol: "EURUSD", price: 1.0842, digits: 5, size: 9 },
  { symbol: "GBPUSD", price: 1.2671, digits: 5, size: 11 },
  { symbol: "XAUUSD", price: 2412.4, digits: 2, size: 26 },
  { symbol: "USDJPY", price: 154.21, digits: 3, size: 8 },
  { symbol: "BTCUSDT", price: 94_210, digits: 2, size: 40 },
] as const;
const TIMEFRAMES = ["H1", "H4", "M15"] as const;
const MINUTE_MS = 60_000;

/** Numbers in 0..1 from a linear congruential generator with the constants of Numerical Recipes. */
function shares(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Reports `count` positions, four at a time; the last three stay open. Throws on an answer other than 201 or 429. */
export async function reportPositionHistory({
  baseUrl,
  key,
  count,
  now,
  seed = 5,
}: PositionHistoryOptions): Promise<void> {
  const next = shares(seed);
  const stepMs = (240 * 24 * 60 * MINUTE_MS) / count;
  const reports = Array.from({ length: count }, (_, index) => {
    const pick = SYMBOLS[Math.floor(next() * SYMBOLS.length)] ?? SYMBOLS[0];
    const openedAt = new Date(now.getTime() - (count - index) * stepMs - next() * stepMs * 0.4);
    const held = 20 + next() * 60 * 11;
    const wins = next() < 0.54;
    const pnl = (wins ? 1 : -1) * pick.size * (wins ? 1.15 : 1) * (0.35 + next());
    const isOpen = index >= count - 3;
    const entry = pick.price * (1 + (next() - 0.5) * 0.02);
    return {
      ticket: 70_000_000 + index,
      symbol: pick.symbol,
      timeframe: TIMEFRAMES[Math.floor(next() * TIMEFRAMES.length)] ?? "H1",
      signal: next() < 0.5 ? "BUY" : "SELL",
      confidence: Number((0.45 + next() * 0.3).toFixed(4)),
      opened_at: openedAt.toISOString(),
      entry_price: Number(entry.toFixed(pick.digits)),
      ...(isOpen
        ? {}
        : {
            closed_at: new Date(
              Math.min(now.getTime() - MINUTE_MS, openedAt.getTime() + held * MINUTE_MS),
            ).toISOString(),
            exit_price: Number((entry * (1 + (next() - 0.5) * 0.004)).toFixed(pick.digits)),
            pnl: Number(pnl.toFixed(2)),
            result: wins ? "TP" : next() < 0.7 ? "SL" : "TIMEOUT",
          }),
    };
  });
  for (let from = 0; from < reports.length; from += 4) {
    await Promise.all(
      reports.slice(from, from + 4).map(async (report) => {
        for (;;) {
          const answer = await fetch(`${baseUrl}/api/executions`, {
            method: "POST",
            headers: { "X-API-Key": key },
            body: JSON.stringify(report),
          });
          if (answer.status === 201) return;
          if (answer.status !== 429) throw new Error(`report ${report.ticket}: ${await answer.text()}`);
          // Waits as a trading client does: the server under test sends Retry-After with each 429.
          const seconds = Number(answer.headers.get("retry-after"));
          await new Promise((done) => setTimeout(done, seconds * 1000));
        }
      }),
    );
  }
}
