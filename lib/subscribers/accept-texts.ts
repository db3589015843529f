import type { Database } from "@/db/client";
import { recordAcceptedSiteTexts } from "@/db/queries/site";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { settingsCache } from "@/lib/runtime/settings-cache";

/**
 * Records that a person accepts the current texts. Returns false and records nothing if the current version of a text
 * is not among those that were shown, because it changed in between.
 */
export async function acceptTexts(
  database: Database,
  { userId, shown }: { userId: string; shown: readonly number[] },
  actor: Actor,
): Promise<boolean> {
  const required = (await settingsCache().readAgain()).texts.filter(({ isAsked }) => isAsked);
  if (required.some(({ id }) => !shown.includes(id))) return false;
  if (required.length === 0) return true;
  await database.transaction(async (tx) => {
    const news = await recordAcceptedSiteTexts(
      tx,
      userId,
      required.map(({ id }) => id),
    );
    for (const { id, name, version } of required)
      if (news.includes(id))
        await recordAudit(tx, {
          actor,
          action: "text.accept",
          target: `text/${name}/${version}`,
          ...("subscriptionId" in actor ? { subscriptionId: actor.subscriptionId } : {}),
        });
  });
  return true;
}
