import type { DatabaseHandle } from "@/db/client";
import { insertAudits } from "@/db/queries/audit";
import { env } from "./env";

/** Who made a change, for the audit log. `command` is the command line, `webhook` a payment platform. */
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
  /** The action, such as `key.revoke`. */
  action: string;
  /** The object of the action, such as `key/17`. */
  target: string;
  subscriptionId?: number | null;
  /** Further facts, without secrets and personal addresses. */
  details?: Record<string, unknown>;
}

/** Writes an audit row. `handle` is the transaction of the change that the row records. */
export async function recordAudit(handle: DatabaseHandle, entry: AuditEntry): Promise<void> {
  await recordAudits(handle, [entry]);
}

/** Writes several audit rows in one statement. `handle` is the transaction of the changes that they record. */
export async function recordAudits(handle: DatabaseHandle, entries: readonly AuditEntry[]): Promise<void> {
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

/** The actor as stored in the audit log, such as `administrator/3` or `worker`. */
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
