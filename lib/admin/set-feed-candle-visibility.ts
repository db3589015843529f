import type { Database } from "@/db/client";
import { setFeedCandlesPublic } from "@/db/queries/feeds";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { AppError } from "@/lib/wire/errors";
import { listFeedNames } from "./read-feeds";

/** Sets whether visitors may see the candles of a feed. Throws not_found for an unknown feed. */
export async function setFeedCandleVisibility(
  database: Database,
  { feed, shown }: { feed: string; shown: boolean },
  actor: Actor,
): Promise<void> {
  if (!(await listFeedNames(database)).includes(feed))
    throw new AppError("not_found", { detail: "There is no such feed." });
  await database.transaction(async (tx) => {
    await setFeedCandlesPublic(tx, { feed, shown });
    await recordAudit(tx, { actor, action: "feed.candles", target: `feed/${feed}`, details: { shown } });
  });
}
