import { randomBytes } from "node:crypto";
import { env } from "@/lib/runtime/env";
import { sha256 } from "@/lib/runtime/secrets";

/** Days until a subscriber's session expires. */
export const SESSION_DAYS = 30;

/** 256 random bits. The cookie contains them encrypted, the database only their hash. */
export function newSessionToken(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * The stored hash of a token. The owner's key is in the environment and has no row that could end, so it is part of
 * the hash: an owner's session ends when that key changes.
 */
export function sessionTokenHash(token: string, owner: boolean): string {
  return sha256(owner ? `${token}:${env().ownerApiKey ?? ""}` : token);
}

/** Both hashes under which a session with this token may be stored. */
export const sessionTokenHashes = (token: string): string[] =>
  [false, true].map((owner) => sessionTokenHash(token, owner));
