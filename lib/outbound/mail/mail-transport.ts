import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { serviceSecret } from "@/lib/runtime/service-secrets";
import type { MailTransport } from "./transport";
import { localOutbox } from "./transports/local-outbox";
import { resendTransport } from "./transports/resend";
import { smtpTransport } from "./transports/smtp";

/** The current transport: Resend, else SMTP, else files in DATA_DIR/outbox. A changed secret creates a new one. */
export function mailTransport(): MailTransport {
  const made = processWide("mail-transport", () => ({ by: "", transport: localOutbox(env().dataDir) }));
  const [resend, smtp] = [serviceSecret("RESEND_API_KEY"), serviceSecret("SMTP_URL")];
  const by = JSON.stringify([resend, smtp]);
  if (made.by !== by) Object.assign(made, { by, transport: transportOf(resend, smtp) });
  return made.transport;
}

function transportOf(resend: string | null, smtp: string | null): MailTransport {
  if (resend !== null) return resendTransport(resend);
  return smtp === null ? localOutbox(env().dataDir) : smtpTransport(smtp);
}
