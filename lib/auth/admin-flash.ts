import { z } from "zod";
import { db } from "@/db/client";
import { takeFlash, writeFlash } from "@/db/queries/admin-sessions";
import { decrypt, encrypt } from "../secrets";

/** What the next page shows once: that something was done, what is wrong with a form, a payload, or a new key. */
const Flash = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), text: z.string() }),
  z.object({ kind: z.literal("failed"), text: z.string() }),
  z.object({
    kind: z.literal("form"),
    /** Which form of the page. */
    form: z.string(),
    errors: z.record(z.string(), z.string()),
    values: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal("payload"), deliveryId: z.int(), text: z.string() }),
  z.object({ kind: z.literal("key"), keyId: z.int(), apiKey: z.string() }),
]);
export type Flash = z.infer<typeof Flash>;

/** Leaves a flash for the session's next page: encrypted, since a new key may be in it. */
export async function leaveFlash(sessionId: string, flash: Flash): Promise<void> {
  await writeFlash(db(), sessionId, encrypt(JSON.stringify(flash)));
}

/** Takes the flash that waits for this session. The second reader finds nothing. */
export async function takeAdminFlash(sessionId: string): Promise<Flash | null> {
  const sealed = await takeFlash(db(), sessionId);
  return sealed === null ? null : Flash.parse(JSON.parse(decrypt(sealed)));
}
