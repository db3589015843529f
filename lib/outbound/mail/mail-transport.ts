import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import type { MailTransport } from "./transport";
import { localOutbox } from "./transports/local-outbox";
import { resendTransport } from "./transports/resend";
import { smtpTransport } from "./transports/smtp";

/** The transport in force: Resend, else SMTP, else files in DATA_DIR/outbox. */
export function mailTransport(): MailTransport {
  return processWide("mail-transport", () => {
    const { resendApiKey, smtpUrl, dataDir } = env();
    if (resendApiKey !== null) return resendTransport(resendApiKey);
    if (smtpUrl !== null) return smtpTransport(smtpUrl);
    return localOutbox(dataDir);
  });
}
