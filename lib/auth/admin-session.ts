import { randomBytes } from "node:crypto";
import { db } from "@/db/client";
import {
  ADMIN_SESSION_HOURS,
  endAdminSession,
  insertAdminSession,
  touchAdminSession,
} from "@/db/queries/operator-sessions";
import { judgeAdminSecret, type SecretVerdict } from "@/lib/access/admin-secret";
import { clientAddress } from "@/lib/api/client-address";
import { adminSessionActor } from "@/lib/api/request-actor";
import { recordAudit } from "@/lib/runtime/audit";
import { log } from "@/lib/runtime/log";
import { countCode } from "@/lib/runtime/metrics";
import { operated } from "@/lib/runtime/operated";
import { sha256 } from "@/lib/runtime/secrets";
import { cookiesOf, isSecureSite } from "./session-cookie";

/**
 * Name of the cookie. It holds a random token, never the secret, and goes only to addresses under /admin (decision 92).
 */
export const ADMIN_COOKIE = "admin_session";

export interface AdminSession {
  sessionId: string;
  signedInAt: Date;
}

/** Tries to sign in. On success the value of `Set-Cookie`; the secret itself is kept nowhere. */
export async function signInAsAdmin(
  request: Request,
  secret: string | null,
  requestId: string,
): Promise<{ cookie: string } | { refused: Exclude<SecretVerdict, { verdict: "right" }> }> {
  const address = clientAddress(request.headers);
  const judged = await judgeAdminSecret(secret, address);
  if (judged.verdict !== "right") {
    countCode(judged.verdict === "missing" ? "admin_secret_missing" : "admin_secret_invalid");
    log("warn", "a sign-in of the administrator was refused", { reason: judged.verdict });
    return { refused: judged };
  }
  const token = randomBytes(32).toString("base64url");
  await db("writes").transaction(async (tx) => {
    const sessionId = await insertAdminSession(tx, {
      tokenHash: sha256(token),
      address,
      client: request.headers.get("user-agent")?.slice(0, 200) ?? null,
    });
    const actor = adminSessionActor(request, sessionId, requestId);
    await recordAudit(tx, { actor, action: "admin.sign_in", target: `session/${sessionId}` });
  });
  return { cookie: adminCookie(token, ADMIN_SESSION_HOURS * 3600) };
}

/** Ends the session that a request carries, if there is one. Returns the value of `Set-Cookie` that removes it. */
export async function signOutAdmin(request: Request, requestId: string): Promise<string> {
  const token = adminToken(request.headers);
  if (token !== null) {
    await db("writes").transaction(async (tx) => {
      const sessionId = await endAdminSession(tx, sha256(token));
      if (sessionId === null) return;
      const actor = adminSessionActor(request, sessionId, requestId);
      await recordAudit(tx, { actor, action: "admin.sign_out", target: `session/${sessionId}` });
    });
  }
  return adminCookie("", 0);
}

/** The live session of a token; reading it extends it. null when the administrator must sign in again. */
export async function findAdminSession(token: string | null): Promise<AdminSession | null> {
  if (!token) return null;
  await operated().get();
  return touchAdminSession(db(), sha256(token));
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

/** The token that a request carries. */
export function adminToken(headers: Headers): string | null {
  return cookiesOf(headers)(ADMIN_COOKIE) || null;
}
