import { Resend } from "resend";
import { type MailSendResult, type MailTransport, unsubscribeHeaders } from "@/lib/outbound/mail/transport";
import { parseRetryAfterSeconds } from "@/lib/outbound/retry-after";

const TIMEOUT_MS = 15_000;

/**
 * Statuses for a wrong key or an unverified domain. The operator can fix these, so mails wait instead of being given
 * up.
 */
const OURS_TO_REPAIR = new Set([401, 403]);

/**
 * Resend's HTTP API. The idempotency key makes a retry within 24 hours harmless; later the outbox's record of sent
 * mails prevents a duplicate.
 */
export function resendTransport(
  apiKey: string,
  baseUrl: string | null = null,
  timeoutMs = TIMEOUT_MS,
): MailTransport {
  const client = new Resend(apiKey, baseUrl === null ? {} : { baseUrl });
  return {
    name: "resend",
    maxPerSecond: 2,
    async send(mail) {
      const { error, headers } = await client.emails.send(
        {
          from: mail.from,
          to: [mail.to],
          subject: mail.subject,
          html: mail.html,
          text: mail.text,
          headers: unsubscribeHeaders(mail),
        },
        { idempotencyKey: `${mail.kind}/${mail.mailId}`, ...abortAfter(timeoutMs) },
      );
      return error === null ? { result: "sent" } : outcomeOf(error.statusCode, error.name, headers);
    },
  };
}

/**
 * Options that end a call after a time limit. The client passes them to `fetch`, but its types leave out the signal.
 */
function abortAfter(timeoutMs: number): { signal: AbortSignal } {
  return { signal: AbortSignal.timeout(timeoutMs) };
}

function outcomeOf(
  status: number | null,
  name: string,
  headers: Record<string, string> | null,
): MailSendResult {
  // No status: the server did not answer, or not in time.
  if (status === null || status === undefined) return { result: "retry", code: "resend_unreachable" };
  const code = `resend_${status}_${name}`.replace(/[^a-z0-9_]/gi, "").slice(0, 60);
  const retryAfterSeconds = parseRetryAfterSeconds(headers?.["retry-after"]);
  const again: MailSendResult = {
    result: "retry",
    code,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
  };
  if (status === 409) return name === "concurrent_idempotent_requests" ? again : { result: "refused", code };
  if (status === 408 || status === 429 || status >= 500 || OURS_TO_REPAIR.has(status)) return again;
  return { result: "refused", code };
}
