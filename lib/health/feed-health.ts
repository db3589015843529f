import type { Handle } from "@/db/client";
import { type FeedRow, listFeeds } from "@/db/queries/feeds";
import type { FeedPlan } from "@/lib/runtime/feed-plan";
import { minutesBetween } from "@/lib/time";

/** A source that does not answer is asked again; after so many minutes a person should know. */
const SILENT_MINUTES = 10;

/** How a feed does: one of MARKET_FEED, or a terminal that pushes. */
export interface FeedHealth {
  name: string;
  /** Last time that its source answered as it should; null: never. */
  lastOkAt: Date | null;
  /** What is wrong, in words; null when nothing is. */
  trouble: string | null;
  /** It goes on by itself only when a person does something. */
  needsPerson: boolean;
}

/** How the feeds do that this service has now. A feed that was taken out of MARKET_FEED is none. */
export async function readFeedHealth(
  handle: Handle,
  plans: readonly Pick<FeedPlan, "name">[],
  now: Date,
): Promise<FeedHealth[]> {
  const rows = await listFeeds(handle);
  const pushed = rows.filter(({ name }) => name.startsWith("push:")).map(({ name }) => name);
  return [...plans.map(({ name }) => name), ...pushed].map((name) =>
    assessFeed(name, rows.find((row) => row.name === name) ?? null, now),
  );
}

/** What a feed's row says of it. Pure. */
export function assessFeed(name: string, row: FeedRow | null, now: Date): FeedHealth {
  const lastOkAt = row?.lastOkAt ?? null;
  const feed = { name, lastOkAt, needsPerson: row?.state === "refused" };
  // A terminal sends when it has something; when it is late, its slots' candles are.
  if (row === null || row.state === "ok") return { ...feed, trouble: null };
  const reason = row.lastError === null ? "" : `: ${row.lastError}`;
  if (row.state === "refused") return { ...feed, trouble: `is refused${reason}` };
  if (row.state === "held") return { ...feed, trouble: `is held${reason}` };
  const silentSince = lastOkAt ?? row.lastErrorAt;
  if (silentSince !== null && minutesBetween(silentSince, now) < SILENT_MINUTES)
    return { ...feed, trouble: null };
  const since =
    lastOkAt === null
      ? "has never answered"
      : `has not answered for ${Math.floor(minutesBetween(lastOkAt, now))} min`;
  return { ...feed, trouble: `${since}${reason}` };
}
