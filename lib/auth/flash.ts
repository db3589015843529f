import { z } from "zod";
import type { Handle } from "@/db/client";
import { takeFlash, writeFlash } from "@/db/queries/flashes";
import { decrypt, encrypt } from "@/lib/runtime/secrets";

/** A message that the next page of a session shows once: the result of a form, a payload, or a new key. */
const Flash = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), text: z.string() }),
  z.object({ kind: z.literal("failed"), text: z.string() }),
  /** The same in several lines, such as the problems of a file. */
  z.object({
    kind: z.literal("report"),
    isGood: z.boolean(),
    title: z.string(),
    lines: z.array(z.string()),
  }),
  /** What an uploaded settings file would change, with the file, before it is stored. */
  z.object({
    kind: z.literal("import"),
    lines: z.array(z.string()),
    content: z.string(),
    cutsOff: z.boolean(),
  }),
  z.object({
    kind: z.literal("form"),
    /** Which form of the page. */
    form: z.string(),
    errors: z.record(z.string(), z.string()),
    values: z.record(z.string(), z.string()),
  }),
  /** What a change would do, before it is stored: the form comes back with the mark that stores it. */
  z.object({
    kind: z.literal("preview"),
    form: z.string(),
    lines: z.array(z.string()),
    cutsOff: z.int(),
    mark: z.string(),
    values: z.record(z.string(), z.string()),
  }),
  /** Another changed the same meanwhile: nothing is stored, and the form comes back with what was typed. */
  z.object({
    kind: z.literal("overtaken"),
    form: z.string(),
    values: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal("payload"), deliveryId: z.int(), text: z.string() }),
  /** A subscriber's new key, for the administrator. */
  z.object({ kind: z.literal("key"), keyId: z.int(), apiKey: z.string() }),
  /** The secret that an endpoint's deliveries are signed with. */
  z.object({
    kind: z.literal("webhook-secret"),
    endpointId: z.int(),
    secret: z.string(),
    isNew: z.boolean(),
  }),
  /** An administrator's recovery codes, shown once. */
  z.object({ kind: z.literal("recovery-codes"), codes: z.array(z.string()) }),
  /** A token that a terminal sends candles with. */
  z.object({ kind: z.literal("feed-token"), name: z.string(), token: z.string() }),
  /** A token that a model's server sends signals with. */
  z.object({ kind: z.literal("producer-token"), name: z.string(), token: z.string() }),
  /** A link into Telegram that works once. */
  z.object({ kind: z.literal("telegram-link"), url: z.string() }),
  /** The token of a link to the subscriber's own record. */
  z.object({ kind: z.literal("record-link"), token: z.string() }),
  /** The subscriber's own new key, and when it took the place of the former. */
  z.object({ kind: z.literal("own-key"), apiKey: z.string(), rotatedAt: z.string() }),
  /** The first key of a visitor who tries the service. */
  z.object({ kind: z.literal("first-key"), apiKey: z.string() }),
]);
export type Flash = z.infer<typeof Flash>;

/** Stores a flash for the session's next page, encrypted because it may hold a new key. */
export async function leaveFlash(handle: Handle, sessionId: string, flash: Flash): Promise<void> {
  await writeFlash(handle, sessionId, encrypt(JSON.stringify(flash)));
}

/**
 * Takes the flash that waits for this session, so that it is shown once; null when there is none. A visitor's first key
 * waits for the page that shows it, whatever other pages come first.
 */
export async function consumeFlash(
  handle: Handle,
  sessionId: string,
  { showsFirstKey = false } = {},
): Promise<Flash | null> {
  const sealed = await takeFlash(handle, sessionId);
  const flash = sealed === null ? null : Flash.parse(JSON.parse(decrypt(sealed)));
  if (flash?.kind !== "first-key" || showsFirstKey) return flash;
  await leaveFlash(handle, sessionId, flash);
  return null;
}
