import { createTransport } from "nodemailer";
import { MAILS_PER_SECOND } from "@/lib/outbound/mail/throttle";
import type { MailSendResult, MailTransport } from "@/lib/outbound/mail/transport";
import { mimeMessage } from "./mime-message";

const CONNECT_TIMEOUT_MS = 5_000;
const SILENCE_TIMEOUT_MS = 15_000;

/** Any SMTP server. A retry has the same Message-ID, by which mailboxes recognise it. */
export function smtpTransport(url: string): MailTransport {
  const transporter = createTransport({
    url,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // Prevents nodemailer from reading parts of a mail from a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    name: "smtp",
    maxPerSecond: MAILS_PER_SECOND,
    async send(mail) {
      try {
        await transporter.sendMail(mimeMessage(mail));
        return { result: "sent" };
      } catch (error) {
        return outcomeOf(error);
      }
    },
  };
}

/** A 5xx reply about this mail is final; log-in, network and 4xx failures are not. */
function outcomeOf(error: unknown): MailSendResult {
  const { code, responseCode } = describe(error);
  const word = ["smtp", responseCode, code]
    .filter((part) => part !== null)
    .join("_")
    .slice(0, 60);
  const aboutMail = code === "EENVELOPE" || code === "EMESSAGE";
  if (aboutMail && responseCode !== null && responseCode >= 500) return { result: "refused", code: word };
  return { result: "retry", code: word };
}

function describe(error: unknown): { code: string | null; responseCode: number | null } {
  if (!(error instanceof Error)) return { code: null, responseCode: null };
  return {
    code: "code" in error && typeof error.code === "string" ? error.code : null,
    responseCode:
      "responseCode" in error && typeof error.responseCode === "number" ? error.responseCode : null,
  };
}
