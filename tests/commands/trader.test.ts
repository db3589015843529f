import { describe, expect, it } from "vitest";
import { TerminalHttp } from "@/lib/commands/ea/terminal-http";
import { Trader } from "@/lib/commands/ea/trader";
import { makeCandleSeries } from "@/lib/market/candles";
import { HOUR_MS } from "@/lib/time";

class AcceptingHttp extends TerminalHttp {
  override send = async () => ({ status: 201, body: '{"action":"created"}', headers: new Headers() });
}

describe("a signal without a target", () => {
  it("a signal without a target is closed at the horizon when its stop is not reached", async () => {
    const settings = {
      InpApiUrl: "http://localhost",
      InpApiKey: "",
      timeoutMs: 1,
      lostAnswers: 0,
      random: () => 1,
    };
    const trader = new Trader(new AcceptingHttp(settings), "", 1n);
    const candles = makeCandleSeries(
      Array.from({ length: 40 }, (_, i) => {
        const price = 100 + i / 10;
        return { ts: i * HOUR_MS, open: price, high: price + 1, low: price - 1, close: price, volume: 1 };
      }),
    );
    const signal = { symbol: "EURUSD", timeframe: "H1", signal: "BUY", confidence: 0.5 } as const;
    await trader.follow({ ...signal, expectedRr: 0, tsMs: 20 * HOUR_MS }, candles, 20);
    for (let i = 21; i < 32; i++) await trader.advance("EURUSD/H1", candles, i);
    expect(trader.journal.map(({ event }) => event)).toEqual(["opened"]);
    await trader.advance("EURUSD/H1", candles, 32);
    // After twelve candles of 0.1, with a stop 2 ATR(14) = 4 away and 100 at risk.
    expect(trader.journal.at(-1)).toMatchObject({ event: "closed", pnl: 30 });
  });
});
