import { z } from "zod";
import { SECOND_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";
import { getJson } from "./get-json";
import { type CandleSource, FeedFailure, type FeedSlot } from "./source";

/** Maximum number of candles per response. */
const PAGE_SIZE = 5_000;

const price = z
  .string()
  .regex(/^[0-9]+(\.[0-9]+)?$/)
  .transform(Number);
const Answer = z.object({
  candles: z.array(
    z.object({
      time: z.string(),
      complete: z.boolean(),
      volume: z.number(),
      mid: z.object({ o: price, h: price, l: price, c: price }),
    }),
  ),
});

/** How long a feed without a token waits before it looks for a newly entered one. */
const NO_TOKEN_PAUSE_MS = 5 * SECOND_MS;

/** OANDA's names of the longest timeframes. */
const GRANULARITIES: Partial<Record<Timeframe, string>> = { D1: "D", W1: "W", MN1: "M" };

/**
 * Mid-price candles of OANDA's v20 REST interface. Days begin at midnight UTC and weeks on Sunday, as for all feeds.
 * OANDA's defaults are 17:00 New York and Friday.
 */
export function oandaSource(
  slots: readonly FeedSlot[],
  { apiRoot, token }: { apiRoot: string; token: () => string | null },
): CandleSource {
  return {
    name: "oanda",
    slots,
    pageSize: PAGE_SIZE,
    async read(slot, from, limit, signal) {
      const url = new URL(`${apiRoot}/v3/instruments/${encodeURIComponent(slot.instrument)}/candles`);
      url.search = new URLSearchParams({
        price: "M",
        granularity: GRANULARITIES[slot.timeframe] ?? slot.timeframe,
        from: from.toISOString(),
        count: String(Math.min(limit, PAGE_SIZE)),
        dailyAlignment: "0",
        alignmentTimezone: "UTC",
        weeklyAlignment: "Sunday",
      }).toString();
      const bearer = token();
      if (bearer === null)
        throw new FeedFailure(
          "refused",
          "There is no token: enter one on the page Feeds.",
          NO_TOKEN_PAUSE_MS,
        );
      const headers = { Authorization: `Bearer ${bearer}`, "Accept-Datetime-Format": "RFC3339" };
      const { body, now } = await getJson(url, headers, signal);
      const parsed = Answer.safeParse(body);
      if (!parsed.success) throw new FeedFailure("failed", "OANDA answered with candles of an unknown shape");
      const candles = parsed.data.candles.map(({ time, complete, volume, mid }) => ({
        // Cuts nanoseconds to milliseconds. A candle with an invalid time is refused when it is stored.
        ts: new Date(time.replace(/(\.[0-9]{3})[0-9]*Z$/, "$1Z")),
        open: mid.o,
        high: mid.h,
        low: mid.l,
        close: mid.c,
        volume,
        isComplete: complete,
      }));
      return { candles, now };
    },
  };
}
