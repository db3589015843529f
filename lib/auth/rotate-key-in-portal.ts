import type { Database } from "@/db/client";
import { rebindSession } from "@/db/queries/sessions";
import { rotateKey } from "@/lib/access/keys/rotate-key";
import type { Actor } from "@/lib/runtime/audit";
import { storeFlash } from "./flash";

/**
 * Rotates the key of a signed-in subscriber. The new key is stored, encrypted, for this session's next page. This session
 * continues with the new key if it was opened by the old one; other sessions of the old key end. All of it is one
 * transaction, so that a crash leaves the old key in force.
 */
export async function rotateKeyInPortal(
  database: Database,
  holder: { sessionId: string; keyId: number; subscriptionId: number },
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const rotated = await rotateKey(tx, holder, actor);
    await rebindSession(tx, holder.sessionId, rotated.keyId);
    await storeFlash(tx, holder.sessionId, {
      kind: "own-key",
      apiKey: rotated.apiKey,
      rotatedAt: rotated.rotatedAt.toISOString(),
    });
  });
}
