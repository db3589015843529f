import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { MAILS_PER_SECOND } from "@/lib/outbound/mail/throttle";
import type { MailTransport } from "@/lib/outbound/mail/transport";
import { mimeMessage } from "./mime-message";

/**
 * Writes files instead of sending: DATA_DIR/outbox/<id>-<kind>.eml, readable only by the owner, because they contain
 * keys. A file appears complete or not at all, and a retry replaces it.
 */
export function localOutbox(dataDir: string): MailTransport {
  const directory = join(dataDir, "outbox");
  const composer = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  return {
    name: "outbox",
    maxPerSecond: MAILS_PER_SECOND,
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
