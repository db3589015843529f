import type { DatabaseHandle } from "@/db/client";
import { type FeedRow, listFeeds } from "@/db/queries/feeds";
import type { ConfiguredFeed } from "@/lib/runtime/feed-plan";
import { minutesBetween } from "@/lib/time";

/** Minutes without a successful answer after which a feed that retries counts as broken. */
const SILENT_MINUTES = 10;

/** State of a feed: one of MARKET_FEED, or a terminal that pushes candles. */
export interface FeedHealth {
  name: string;
  /** Time of the source's last successful answer; null: never. */
  lastOkAt: Date | null;
  /** What is wrong, as the end of a sentence about the feed ("is refused: ..."); null: nothing. */
  trouble: string | null;
  /** The feed stays broken until an administrator acts. */
  needsPerson: boolean;
}

/**
 * The state of the configured feeds (`plans`) and of every terminal that pushes candles. A feed that was removed from
 * MARKET_FEED is left out.
 */
export async function readFeedHealth(
  handle: DatabaseHandle,
  plans: readonly Pick<ConfiguredFeed, "name">[],
  now: Date,
): Promise<FeedHealth[]> {
  const rows = await listFeeds(handle);
  const pushed = rows.filter(({ name }) => name.startsWith("push:")).map(({ name }) => name);
  return [...plans.map(({ name }) => name), ...pushed].map((name) =>
    assessFeed(name, rows.find((row) => row.name === name) ?? null, now),
  );
}

/** The state of a feed from its row. Pure. */
export function assessFeed(name: string, row: FeedRow | null, now: Date): FeedHealth {
  const lastOkAt = row?.lastOkAt ?? null;
  const feed = { name, lastOkAt, needsPerson: row?.state === "refused" };
  // Silence of a terminal that pushes candles is no trouble, because it sends nothing while the market is closed.
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
