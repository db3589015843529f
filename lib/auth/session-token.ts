import { randomBytes } from "node:crypto";
import { env } from "@/lib/runtime/env";
import { sha256 } from "@/lib/runtime/secrets";

/** How long a browser stays signed in. */
export const SESSION_DAYS = 30;

/** 256 random bits; the cookie carries it inside its signed wrapping, the database only its hash. */
export function newSessionToken(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * The hash that is stored of a token. The owner's key is in the environment and has no row that could end. It is part
 * of the hash, so that an owner's session ends when that key changes.
 */
export function sessionTokenHash(token: string, owner: boolean): string {
  return sha256(owner ? `${token}:${env().ownerApiKey ?? ""}` : token);
}
