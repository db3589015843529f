import { db } from "@/db/client";
import { endSessionByToken } from "@/db/queries/sessions";
import { ERRORS } from "@/lib/wire/errors";
import { callNextAuth } from "./call-next-auth";
import type { SignInError } from "./open-session";
import { cookiesOf, readSessionCookie } from "./session-cookie";
import { sessionTokenHashes } from "./session-token";

export type SignInResult =
  | { ok: true; cookies: string[] }
  | { ok: false; reason: SignInError | "unavailable" };

const REASONS: readonly SignInError[] = ["link_invalid", "key_invalid", "key_ended", "too_many_attempts"];

/** Signs a browser in through next-auth, by a mailed link's token or an API key. Its previous session ends. */
export async function signIn(
  request: Request,
  credentials: { provider: "link"; token: string } | { provider: "key"; apiKey: string },
): Promise<SignInResult> {
  const { provider, ...fields } = credentials;
  const answer = await callNextAuth(request, "callback", fields, provider);
  if (answer.cookies.length > 0) {
    await endFormerSession(request);
    return { ok: true, cookies: answer.cookies };
  }
  const sent = answer.location
    ? new URL(answer.location, "http://localhost").searchParams.get("error")
    : null;
  return { ok: false, reason: REASONS.find((reason) => reason === sent) ?? "unavailable" };
}

async function endFormerSession(request: Request): Promise<void> {
  const token = await readSessionCookie(cookiesOf(request.headers));
  if (token !== null) for (const hash of sessionTokenHashes(token)) await endSessionByToken(db(), hash);
}

/** Ends the browser's session and returns the cookies that delete it. */
export async function signOut(request: Request): Promise<string[]> {
  return (await callNextAuth(request, "signout", {})).cookies;
}

/** Texts of the sign-in page, by reason of the refusal. */
export const SIGN_IN_ERROR_TEXTS: Record<SignInError | "unavailable", string> = {
  link_invalid: "This link is no longer valid. Request a new one: each works once, for ten minutes.",
  key_invalid: ERRORS.key_invalid.detail,
  key_ended: "This API key no longer works: it was rotated, revoked or has expired.",
  too_many_attempts:
    "Not valid, and there were too many failed attempts from this network. Wait a minute and try again.",
  unavailable: "Sign-in is not available right now. Try again in a minute.",
};
