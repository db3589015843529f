/** A mail as it is sent. */
export interface OutgoingMail {
  /** Id of the outbox row, by which providers and mail programs recognise a duplicate. */
  mailId: number;
  kind: string;
  from: string;
  to: string;
  /** A POST to this URL unsubscribes from mails of this kind; null: subscribers cannot unsubscribe from it. */
  unsubscribeUrl: string | null;
  subject: string;
  html: string;
  text: string;
}

/** Headers for unsubscribing in mail programs (RFC 2369, RFC 8058). */
export const unsubscribeHeaders = ({ unsubscribeUrl }: OutgoingMail): Record<string, string> =>
  unsubscribeUrl === null
    ? {}
    : { "List-Unsubscribe": `<${unsubscribeUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };

/** Result of an attempt to send. Codes are short words; a provider's own text may quote addresses and is left out. */
export type MailSendResult =
  | { result: "sent" }
  /** May succeed later. */
  | { result: "retry"; code: string; retryAfterSeconds?: number }
  /** Will not succeed without a change of the mail. */
  | { result: "refused"; code: string };

export interface MailTransport {
  name: "resend" | "smtp" | "outbox";
  /** Rate limit in mails per second. */
  maxPerSecond: number;
  send(mail: OutgoingMail): Promise<MailSendResult>;
}
