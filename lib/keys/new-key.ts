import { randomUUID } from "node:crypto";
import { sha256 } from "../secrets";

export interface NewKey {
  /** The key itself: shown once, never stored. */
  apiKey: string;
  keyHash: string;
  hint: string;
}

/** A fresh key (UUID, 122 random bits) with what the database keeps of it. */
export function newKey(): NewKey {
  const apiKey = randomUUID();
  return { apiKey, keyHash: sha256(apiKey), hint: keyHint(apiKey) };
}

/** First four and last four characters around four asterisks. */
export function keyHint(key: string): string {
  return `${key.slice(0, 4)}****${key.slice(-4)}`;
}
