import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import type { Handle } from "@/db/client";
import { listKeptMailIds } from "@/db/queries/mail";
import { BACKGROUND_PER_SECOND } from "@/lib/outbound/mail/pace";
import type { MailTransport } from "@/lib/outbound/mail/transport";
import { mimeMessage } from "./mime-message";

/**
 * Files instead of a network: DATA_DIR/outbox/<id>-<kind>.eml, readable by the owner alone, because they hold keys.
 * A file appears whole or not at all, and a repetition replaces it.
 */
export function localOutbox(dataDir: string): MailTransport {
  const directory = join(dataDir, "outbox");
  const composer = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  return {
    name: "outbox",
    maxPerSecond: BACKGROUND_PER_SECOND,
    async send(mail) {
      const composed = await composer.sendMail(mimeMessage(mail));
      const path = join(directory, `${mail.mailId}-${mail.kind}.eml`);
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await writeFile(`${path}.part`, composed.message, { mode: 0o600 });
        await rename(`${path}.part`, path);
      } catch (error) {
        const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
        return { result: "retry", code: `outbox_${code}` };
      }
      return { result: "sent" };
    },
  };
}

const FILES_PER_QUESTION = 1_000;

/**
 * Removes the files of mails that are stored no more, or without their content: of accounts that were deleted, and past
 * their retention. Returns how many. Twice does no harm.
 */
export async function sweepLocalOutbox(handle: Handle, dataDir: string): Promise<number> {
  const directory = join(dataDir, "outbox");
  const names = await readdir(directory).catch(() => []);
  const files = names.flatMap((name) => {
    const [, id] = /^([0-9]{1,15})-.*\.eml(?:\.part)?$/.exec(name) ?? [];
    return id === undefined ? [] : [{ name, mailId: Number(id) }];
  });
  let removed = 0;
  for (let from = 0; from < files.length; from += FILES_PER_QUESTION) {
    const some = files.slice(from, from + FILES_PER_QUESTION);
    const kept = await listKeptMailIds(
      handle,
      some.map(({ mailId }) => mailId),
    );
    for (const { name, mailId } of some) {
      if (kept.has(mailId)) continue;
      await rm(join(directory, name), { force: true });
      removed++;
    }
  }
  return removed;
}
