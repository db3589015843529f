import { describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { HEARTBEAT_SPANS_PER_DAY, writeHeartbeats } from "@/db/queries/heartbeats";
import { computeDayOfCalls, readDayOfCalls } from "@/lib/subscribers/day-of-calls";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const SPAN_MS = 600_000;
const nowSpan = Math.floor(Date.now() / SPAN_MS);
/** The middle of the interval this many before the current one. */
const back = (spans: number) => new Date((nowSpan - spans) * SPAN_MS + SPAN_MS / 2);
const beat = (keyId: number, at: Date, subscriptionId = 7) => ({
  ...{ keyId, subscriptionId, lastSeenAt: at, client: null, address: null, nCalls: 1 },
});
const heardBack = ({ spans }: { spans: boolean[] }) =>
  spans.flatMap((heard, i) => (heard ? [HEARTBEAT_SPANS_PER_DAY - 1 - i] : [])).toReversed();

describe("a trading client's last day", () => {
  it("each ten minutes with a call are stored for two keys of a subscription, also when earlier calls are written later", async () => {
    await writeHeartbeats(db(), [beat(1, back(140))]);
    await writeHeartbeats(db(), [beat(1, back(20))]);
    // Another instance writes earlier calls later.
    await writeHeartbeats(db(), [beat(1, back(33))]);
    await writeHeartbeats(db(), [beat(1, back(20)), beat(2, back(2))]);
    await writeHeartbeats(db(), [beat(3, back(5), 8)]);
    const day = await readDayOfCalls(db(), 7, back(0));
    expect(day.spans).toHaveLength(HEARTBEAT_SPANS_PER_DAY);
    expect(heardBack(day)).toEqual([2, 20, 33, 140]);
  });

  it("calls older than a day are dropped, and calls not yet written are included", async () => {
    await writeHeartbeats(db(), [beat(4, back(400), 9)]);
    await writeHeartbeats(db(), [beat(4, back(10), 9)]);
    expect(heardBack(await readDayOfCalls(db(), 9, back(0)))).toEqual([10]);
    expect(heardBack(computeDayOfCalls([], back(0), back(0)))).toEqual([0]);
    expect(heardBack(computeDayOfCalls([], null, back(0)))).toEqual([]);
  });
});
