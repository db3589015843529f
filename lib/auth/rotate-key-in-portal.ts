import type { Database } from "@/db/client";
import { rebindSession } from "@/db/queries/sessions";
import { rotateKey } from "@/lib/access/keys/rotate-key";
import type { Actor } from "@/lib/runtime/audit";
import { leaveFlash } from "./flash";

/**
 * Replaces the key of a signed-in subscriber. The new key waits, encrypted, for the next page of this very session, and
 * a session that was opened by the old key goes on with the new one; every other such session is over. All of it is one
 * transaction, so that a crash in between leaves the old key in force.
 */
export async function rotateKeyInPortal(
  database: Database,
  holder: { sessionId: string; keyId: number; subscriptionId: number },
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const rotated = await rotateKey(tx, holder, actor);
    await rebindSession(tx, holder.sessionId, rotated.keyId);
    await leaveFlash(tx, holder.sessionId, {
      kind: "own-key",
      apiKey: rotated.apiKey,
      rotatedAt: rotated.rotatedAt.toISOString(),
    });
  });
}
