import { z } from "zod";
import type { DatabaseHandle } from "@/db/client";
import { takeFlash, writeFlash } from "@/db/queries/flashes";
import { decrypt, encrypt } from "@/lib/runtime/secrets";

/** A message that the session's next page shows once, such as the result of a form, a preview or a new key. */
const Flash = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), text: z.string() }),
  z.object({ kind: z.literal("failed"), text: z.string() }),
  /** A message of several lines, such as the problems of a file. */
  z.object({
    kind: z.literal("report"),
    isGood: z.boolean(),
    title: z.string(),
    lines: z.array(z.string()),
  }),
  /** Preview of an uploaded settings file, with the file. */
  z.object({
    kind: z.literal("import"),
    lines: z.array(z.string()),
    content: z.string(),
    cutsOff: z.boolean(),
  }),
  z.object({
    kind: z.literal("form"),
    /** Name of the form on its page. */
    form: z.string(),
    errors: z.record(z.string(), z.string()),
    values: z.record(z.string(), z.string()),
  }),
  /** Preview of a change: the form is shown again. It sends `mark` back, a hash of the preview, as confirmation. */
  z.object({
    kind: z.literal("preview"),
    form: z.string(),
    lines: z.array(z.string()),
    cutsOff: z.int(),
    mark: z.string(),
    values: z.record(z.string(), z.string()),
  }),
  /** The setting has changed since the form was loaded: nothing was stored; the form shows the sent values again. */
  z.object({
    kind: z.literal("overtaken"),
    form: z.string(),
    values: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal("payload"), deliveryId: z.int(), text: z.string() }),
  /** A subscriber's new key, for the administrator. */
  z.object({ kind: z.literal("key"), keyId: z.int(), apiKey: z.string() }),
  /** The signing secret of a webhook endpoint. */
  z.object({
    kind: z.literal("webhook-secret"),
    endpointId: z.int(),
    secret: z.string(),
    isNew: z.boolean(),
  }),
  /** An administrator's recovery codes, shown once. */
  z.object({ kind: z.literal("recovery-codes"), codes: z.array(z.string()) }),
  /** A terminal's token for sending candles. */
  z.object({ kind: z.literal("feed-token"), name: z.string(), token: z.string() }),
  /** A model server's token for sending signals. */
  z.object({ kind: z.literal("producer-token"), name: z.string(), token: z.string() }),
  /** A one-time link into Telegram. */
  z.object({ kind: z.literal("telegram-link"), url: z.string() }),
  /** The token of a public link to the subscriber's own record. */
  z.object({ kind: z.literal("record-link"), token: z.string() }),
  /** The subscriber's new key, with the time of the rotation. */
  z.object({ kind: z.literal("own-key"), apiKey: z.string(), rotatedAt: z.string() }),
  /** The first key of a demo visitor. */
  z.object({ kind: z.literal("first-key"), apiKey: z.string() }),
]);
export type Flash = z.infer<typeof Flash>;

/** Stores a flash for the session's next page, encrypted because it may contain a key. */
export async function storeFlash(handle: DatabaseHandle, sessionId: string, flash: Flash): Promise<void> {
  await writeFlash(handle, sessionId, encrypt(JSON.stringify(flash)));
}

/**
 * Takes the session's flash, so that it is shown once; null: none. `sessionId` is null for a page that is only
 * refreshed and takes no flash. A demo visitor's first key waits for the page that shows it, even if other pages are
 * loaded first.
 */
export async function consumeFlash(
  handle: DatabaseHandle,
  sessionId: string | null,
  { showsFirstKey = false } = {},
): Promise<Flash | null> {
  if (sessionId === null) return null;
  const sealed = await takeFlash(handle, sessionId);
  const flash = sealed === null ? null : Flash.parse(JSON.parse(decrypt(sealed)));
  if (flash?.kind !== "first-key" || showsFirstKey) return flash;
  await storeFlash(handle, sessionId, flash);
  return null;
}
