import type { Handle } from "@/db/client";
import { takeFlash, writeFlash } from "@/db/queries/portal-sessions";
import { decrypt, encrypt } from "../secrets";

/** What the portal shows exactly once: a key that was just made. */
export interface Flash {
  newKey: string;
  at: string;
}

/** Keeps it, encrypted, for this session's next page. */
export async function keepFlash(handle: Handle, sessionId: string, flash: Flash): Promise<void> {
  await writeFlash(handle, sessionId, encrypt(JSON.stringify(flash)));
}

/** Takes and forgets what was kept; null when there is nothing. */
export async function readFlashOnce(handle: Handle, sessionId: string): Promise<Flash | null> {
  const sealed = await takeFlash(handle, sessionId);
  // Written by keepFlash and authenticated by its encryption.
  return sealed === null ? null : (JSON.parse(decrypt(sealed)) as Flash);
}
