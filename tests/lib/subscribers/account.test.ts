import { describe, expect, it } from "vitest";
import { daysRemaining } from "@/lib/subscribers/account";
import { eaStateAt } from "@/lib/subscribers/ea-state";

const now = new Date("2026-11-21T12:00:00Z");
const ago = (ms: number) => new Date(now.getTime() - ms);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe("eaStateAt", () => {
  it.each([
    [0, "online", 0],
    [5 * MINUTE_MS, "online", 5],
    [5 * MINUTE_MS + 600, "delayed", 5.01],
    [30 * MINUTE_MS, "delayed", 30],
    [30 * MINUTE_MS + 600, "offline", 30.01],
    [90_000, "online", 1.5],
    [400 * DAY_MS, "offline", 576_000],
  ])("a client last seen %i ms ago is %s", (ms, status, minsSince) => {
    expect(eaStateAt(ago(ms), now)).toEqual({
      status,
      label: expect.any(String),
      online: status === "online",
      mins_since: minsSince,
    });
  });

  it("eaStateAt gives no negative age, and 'never' as the status of a client that has not called", () => {
    expect(eaStateAt(ago(-2_000), now)).toMatchObject({ status: "online", mins_since: 0 });
    expect(eaStateAt(null, now)).toMatchObject({ status: "never", online: false, mins_since: null });
  });
});

describe("daysRemaining", () => {
  it.each([
    [DAY_MS, 1],
    [DAY_MS - 1, 0],
    [31 * DAY_MS + 5, 31],
    [0, 0],
    [-10 * DAY_MS, 0],
  ])("%i ms before the end of access, %i whole days remain", (ms, days) => {
    expect(daysRemaining(new Date(now.getTime() + ms), now)).toBe(days);
  });

  it("the remaining days are null for access without end", () => {
    expect(daysRemaining(null, now)).toBeNull();
  });
});
