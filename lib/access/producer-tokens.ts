import { randomBytes } from "node:crypto";
import type { Database } from "@/db/client";
import {
  findProducerTokenByHash,
  insertProducerToken,
  markProducerTokenRevoked,
  noteProducerTokenUse,
} from "@/db/queries/producer-tokens";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { sha256 } from "@/lib/runtime/secrets";
import { AppError, invalidField } from "@/lib/wire/errors";
import { keyHint } from "./keys/key-text";

/** Token of an external model server, with the slots for which it may send, as `EURUSD/H1`. */
export interface ProducerToken {
  id: number;
  name: string;
  slots: ReadonlySet<string>;
}

/** Creates a token that may only send for these slots. The token is returned once; `producer_tokens` has only its hash and hint. */
export async function issueProducerToken(
  database: Database,
  { name, slots }: { name: string; slots: readonly string[] },
  actor: Actor,
): Promise<string> {
  const token = `prod_${randomBytes(24).toString("base64url")}`;
  await database.transaction(async (tx) => {
    const id = await insertProducerToken(tx, {
      name,
      slots,
      tokenHash: sha256(token),
      hint: keyHint(token.slice(5)),
    });
    if (id === null) throw invalidField("body", "name", "belongs to an active token: revoke that one first");
    await recordAudit(tx, {
      actor,
      action: "producer-token.issue",
      target: `producer-token/${id}`,
      details: { name, slots },
    });
  });
  return token;
}

/** Revokes a token at once. Throws not_found if it does not exist or was revoked before. */
export async function revokeProducerToken(database: Database, id: number, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const name = await markProducerTokenRevoked(tx, id);
    if (name === null)
      throw new AppError("not_found", { detail: "There is no such token, or it is revoked." });
    await recordAudit(tx, {
      actor,
      action: "producer-token.revoke",
      target: `producer-token/${id}`,
      details: { name },
    });
  });
}

/** The active token with this text, or null. Stores the time of use. */
export async function authenticateProducerToken(
  database: Database,
  sent: string,
): Promise<ProducerToken | null> {
  const token = await findProducerTokenByHash(database, sha256(sent));
  if (token === null) return null;
  await noteProducerTokenUse(database, token.id);
  return { ...token, slots: new Set(token.slots) };
}
