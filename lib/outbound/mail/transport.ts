/** A mail as it leaves. */
export interface OutgoingMail {
  /** Id of the outbox row, by which a provider and a mail client recognise a repetition. */
  mailId: number;
  kind: string;
  from: string;
  to: string;
  /** Takes a POST that declines mails of this kind; null: they cannot be declined. */
  unsubscribeUrl: string | null;
  subject: string;
  html: string;
  text: string;
}

/** The headers by which mail programs offer to decline a mail (RFC 2369, RFC 8058). */
export const unsubscribeHeaders = ({ unsubscribeUrl }: OutgoingMail): Record<string, string> =>
  unsubscribeUrl === null
    ? {}
    : { "List-Unsubscribe": `<${unsubscribeUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };

/** Result of an attempt to send. Codes are short words; a provider's own text may quote addresses and is left out. */
export type SendOutcome =
  | { result: "sent" }
  /** May succeed later. */
  | { result: "retry"; code: string; retryAfterSeconds?: number }
  /** Will not succeed without a change of the mail. */
  | { result: "refused"; code: string };

export interface MailTransport {
  name: "resend" | "smtp" | "outbox";
  /** Mails a second that leave at most. */
  maxPerSecond: number;
  send(mail: OutgoingMail): Promise<SendOutcome>;
}
