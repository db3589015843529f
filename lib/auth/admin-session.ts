import { randomBytes } from "node:crypto";
import { db, type Transaction } from "@/db/client";
import {
  ADMIN_SESSION_HOURS,
  endAdminSession,
  insertAdminSession,
  type SignedInAdministrator,
  touchAdminSession,
} from "@/db/queries/admin-sessions";
import { type AdminSecretVerdict, checkAdminSecret } from "@/lib/access/admin-secret";
import {
  type AdminLinkOutcome,
  confirmAdminLink,
  notifyOwnersOfSecretUse,
} from "@/lib/access/people/administrators";
import { clientAddress } from "@/lib/api/client-address";
import { adminSessionActor } from "@/lib/api/request-actor";
import { recordAudit } from "@/lib/runtime/audit";
import { log } from "@/lib/runtime/log";
import { recordErrorCode } from "@/lib/runtime/metrics";
import { notePageVisitor } from "@/lib/runtime/page-request";
import { sha256 } from "@/lib/runtime/secrets";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { storeFlash } from "./flash";
import { cookiesOf, isSecureSite } from "./session-cookie";

/**
 * Name of the administrator's session cookie. The cookie holds a random token, never the secret, and is sent only to
 * addresses under /admin.
 */
export const ADMIN_COOKIE = "admin_session";

export interface AdminSession {
  sessionId: string;
  signedInAt: Date;
  /** null: signed in with the administrator secret, which has an owner's rights. */
  person: SignedInAdministrator | null;
  role: SignedInAdministrator["role"];
}

/** Signs an administrator in by the secret. Returns the value of `Set-Cookie` on success; the secret is not stored. */
export async function signInByAdminSecret(
  request: Request,
  secret: string | null,
  requestId: string,
): Promise<{ cookie: string } | { refused: Exclude<AdminSecretVerdict, { verdict: "right" }> }> {
  const address = clientAddress(request.headers);
  const judged = await checkAdminSecret(secret, address);
  if (judged.verdict !== "right") {
    recordErrorCode(judged.verdict === "missing" ? "admin_secret_missing" : "admin_secret_invalid");
    log("warn", "a sign-in of the administrator was refused", { reason: judged.verdict });
    return { refused: judged };
  }
  const token = newToken();
  await db().transaction(async (tx) => {
    const sessionId = await openSession(tx, request, { token, administratorId: null, requestId });
    await notifyOwnersOfSecretUse(tx, { sessionId, address, at: new Date() });
  });
  return { cookie: signedInCookie(token) };
}

const newToken = () => randomBytes(32).toString("base64url");
const signedInCookie = (token: string) => adminCookie(token, ADMIN_SESSION_HOURS * 3600);

/** Opens and audits a session. Returns its id. */
async function openSession(
  tx: Transaction,
  request: Request,
  { token, administratorId, requestId }: { token: string; administratorId: number | null; requestId: string },
): Promise<string> {
  const sessionId = await insertAdminSession(tx, {
    tokenHash: sha256(token),
    administratorId,
    address: clientAddress(request.headers),
    client: request.headers.get("user-agent")?.slice(0, 200) ?? null,
  });
  const actor = adminSessionActor(request, { sessionId, administratorId }, requestId);
  await recordAudit(tx, { actor, action: "admin.sign_in", target: `session/${sessionId}` });
  return sessionId;
}

/** Signs an administrator in by a mailed link and a code. Returns the value of `Set-Cookie` on success. */
export async function signInByAdminLink(
  request: Request,
  { token, code }: { token: string; code: string },
  requestId: string,
): Promise<{ outcome: AdminLinkOutcome; cookie: string | null }> {
  const session = newToken();
  const outcome = await confirmAdminLink(db(), { token, code, now: new Date() }, (tx, administratorId) =>
    openSession(tx, request, { token: session, administratorId, requestId }),
  );
  if (outcome.kind !== "signed_in") {
    log("warn", "a sign-in of an administrator was refused", { reason: outcome.kind });
    return { outcome, cookie: null };
  }
  if (outcome.recoveryCodes)
    await storeFlash(db(), outcome.sessionId, {
      kind: "recovery-codes",
      codes: outcome.recoveryCodes,
    });
  return { outcome, cookie: signedInCookie(session) };
}

/** Ends the request's session, if any. Returns the value of `Set-Cookie` that removes it. */
export async function signOutAdmin(request: Request, requestId: string): Promise<string> {
  const token = readAdminSessionToken(request.headers);
  if (token !== null) {
    await db().transaction(async (tx) => {
      const ended = await endAdminSession(tx, sha256(token));
      if (ended === null) return;
      const actor = adminSessionActor(request, ended, requestId);
      await recordAudit(tx, { actor, action: "admin.sign_out", target: `session/${ended.sessionId}` });
    });
  }
  return adminCookie("", 0);
}

/**
 * The valid session of a token. Each call restarts the session's idle time, but the session ends 12 hours after the
 * sign-in. null: the administrator must sign in again.
 */
export async function authenticateAdminSession(token: string | null): Promise<AdminSession | null> {
  if (!token) return null;
  await settingsCache().get();
  const found = await touchAdminSession(db(), sha256(token));
  if (found) notePageVisitor("administrator");
  return found && { ...found, role: found.person?.role ?? "owner" };
}

function adminCookie(token: string, maxAgeSeconds: number): string {
  const parts = [
    `${ADMIN_COOKIE}=${token}`,
    "Path=/admin",
    `Max-Age=${maxAgeSeconds}`,
    "HttpOnly",
    "SameSite=Strict",
  ];
  if (isSecureSite()) parts.push("Secure");
  return parts.join("; ");
}

/** The token in an administrator's session cookie; null: the request has none. */
export function readAdminSessionToken(headers: Headers): string | null {
  return cookiesOf(headers)(ADMIN_COOKIE) || null;
}
