import { randomUUID } from "node:crypto";
import { sha256 } from "@/lib/runtime/secrets";
import { keyHint } from "./key-text";

export interface NewKey {
  /** The key itself. Stored only encrypted, until its mail is sent and the page that created it has shown it. */
  apiKey: string;
  keyHash: string;
  hint: string;
}

/** A new key (UUID, 122 random bits) and the columns of `api_keys` for it. */
export function newKey(): NewKey {
  const apiKey = randomUUID();
  return { apiKey, keyHash: sha256(apiKey), hint: keyHint(apiKey) };
}
