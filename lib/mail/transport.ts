/** A mail as it leaves. */
export interface OutgoingMail {
  /** The outbox row: what a provider and a mail client recognise a repetition by. */
  mailId: number;
  kind: string;
  from: string;
  to: string;
  subject: string;
  html: string;
  text: string;
}

/** What a transport said. Codes are short words; a provider's own text may quote addresses and stays out. */
export type SendOutcome =
  | { result: "sent" }
  /** May succeed later. */
  | { result: "retry"; code: string; retryAfterSeconds?: number }
  /** Will never succeed as it is. */
  | { result: "refused"; code: string };

export interface MailTransport {
  name: "resend" | "smtp" | "outbox";
  /** Mails a second that leave at most. */
  maxPerSecond: number;
  send(mail: OutgoingMail): Promise<SendOutcome>;
}
