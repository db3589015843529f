import { describe, expect, it } from "vitest";
import type { FeedRow } from "@/db/queries/feeds";
import { assessFeed } from "@/lib/health/feed-health";

const now = new Date("2026-11-22T12:00:00Z");
const minutesAgo = (minutes: number) => new Date(now.getTime() - 60_000 * minutes);
const row = (change: Partial<FeedRow>): FeedRow => ({
  name: "oanda",
  state: "ok",
  lastOkAt: minutesAgo(1),
  lastErrorAt: null,
  lastError: null,
  clockOffsetMs: null,
  areCandlesPublic: false,
  ...change,
});
const trouble = (change: Partial<FeedRow>) => assessFeed("oanda", row(change), now).trouble;

describe("feed problems", () => {
  it("there is no feed problem while a feed works, has not started, or is silent for a few minutes", () => {
    expect(trouble({})).toBeNull();
    expect(assessFeed("oanda", null, now)).toEqual({
      name: "oanda",
      lastOkAt: null,
      trouble: null,
      needsPerson: false,
    });
    expect(trouble({ state: "waiting", lastOkAt: minutesAgo(9), lastError: "no answer" })).toBeNull();
    expect(trouble({ state: "waiting", lastOkAt: null, lastErrorAt: minutesAgo(2) })).toBeNull();
  });

  it("feed problems are lasting silence, no first answer, a wrong clock and refused access", () => {
    expect(trouble({ state: "waiting", lastOkAt: minutesAgo(40), lastError: "It timed out." })).toBe(
      "has not answered for 40 min: It timed out.",
    );
    expect(trouble({ state: "waiting", lastOkAt: null, lastErrorAt: minutesAgo(30) })).toBe(
      "has never answered",
    );
    expect(trouble({ state: "held", lastError: "Its clock is an hour ahead." })).toBe(
      "is held: Its clock is an hour ahead.",
    );
    const refused = assessFeed("oanda", row({ state: "refused", lastError: "The token is not valid." }), now);
    expect(refused).toMatchObject({ trouble: "is refused: The token is not valid.", needsPerson: true });
  });
});
