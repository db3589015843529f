import { describe, expect, it } from "vitest";
import { ccxtSource } from "@/lib/signals/feeds/ccxt";
import type { FeedSlot } from "@/lib/signals/feeds/source";
import { MINUTE_MS } from "@/lib/time";

const SLOT: FeedSlot = { symbol: "BTCUSDT", timeframe: "H1", instrument: "BTC/USDT" };

/**
 * Reads three times. Returns how often the exchange's clock was requested, and the exchange's time as the last read
 * gave it.
 */
async function readThrice(fetchTime: () => unknown) {
  let asked = 0;
  const source = ccxtSource("ccxt:some", [SLOT], {
    exchange: "some",
    apiRoot: null,
    load: async () => ({
      has: { fetchTime: true },
      urls: {},
      fetchOHLCV: async () => [],
      fetchTime: async () => {
        asked++;
        return fetchTime();
      },
    }),
  });
  let now: Date | null = null;
  for (let i = 0; i < 3; i++)
    ({ now } = await source.read(SLOT, new Date(0), 10, new AbortController().signal));
  return { asked, now };
}

describe("the clock of an exchange", () => {
  it("the clock of an exchange is read once for three reads within a minute", async () => {
    expect(await readThrice(() => Date.now())).toEqual({ asked: 1, now: expect.any(Date) });
  });

  it("the clock of an exchange is read once for three reads, also if the exchange returns no time", async () => {
    expect(await readThrice(() => undefined)).toEqual({ asked: 1, now: null });
  });

  it("the clock of an exchange is read at each call while it is off by more than a minute", async () => {
    expect(await readThrice(() => Date.now() - 2 * MINUTE_MS)).toMatchObject({ asked: 3 });
  });
});
