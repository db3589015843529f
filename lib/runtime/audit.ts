import type { Handle } from "@/db/client";
import { insertAudits } from "@/db/queries/audit";
import { env } from "./env";

/** Who did something. */
export type Actor =
  | { kind: "admin-secret"; address: string; requestId: string }
  | { kind: "admin-session"; sessionId: string; address: string; requestId: string }
  | { kind: "administrator"; administratorId: number; address: string; requestId: string }
  | { kind: "subscriber"; subscriptionId: number; address: string; requestId: string }
  | { kind: "producer-token"; tokenId: number; address: string; requestId: string }
  | { kind: "webhook"; requestId: string }
  | { kind: "worker" }
  | { kind: "command" };

export interface AuditEntry {
  actor: Actor;
  /** What was done, e.g. `key.revoke`. */
  action: string;
  /** What it was done to, e.g. `key/17`. */
  target: string;
  subscriptionId?: number | null;
  /** Details of the act. They hold no secret and no address of a person. */
  details?: Record<string, unknown>;
}

/** Writes the audit row in the transaction of the change that it records. */
export async function recordAudit(handle: Handle, entry: AuditEntry): Promise<void> {
  await recordAudits(handle, [entry]);
}

/** The same for many changes of one transaction. */
export async function recordAudits(handle: Handle, entries: readonly AuditEntry[]): Promise<void> {
  await insertAudits(handle, entries.map(rowOf), env().auditWebhook !== null);
}

function rowOf({ actor, action, target, subscriptionId, details }: AuditEntry) {
  return {
    actor: actorName(actor),
    action,
    target,
    subscriptionId: subscriptionId ?? null,
    details: details ?? {},
    address: "address" in actor ? actor.address : null,
    requestId: "requestId" in actor ? actor.requestId : null,
  };
}

/** Who acted, as the audit log writes it. */
export function actorName(actor: Actor): string {
  switch (actor.kind) {
    case "admin-session":
      return `admin-session/${actor.sessionId}`;
    case "administrator":
      return `administrator/${actor.administratorId}`;
    case "subscriber":
      return `subscriber/${actor.subscriptionId}`;
    case "producer-token":
      return `producer-token/${actor.tokenId}`;
    default:
      return actor.kind;
  }
}
