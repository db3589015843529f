import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";

export interface CaughtMail extends Email {
  recipients: string[];
  raw: string;
}

export interface MailCatcher {
  url: string;
  mails: CaughtMail[];
  to(address: string): CaughtMail[];
  /** Refuses every further recipient, or every mail after its data, with this SMTP code; null accepts all again. */
  refuse(answer: { stage: "recipient" | "data"; code: number } | null): void;
  close(): Promise<void>;
}

/** Starts an SMTP server on loopback that parses and keeps the mails that it receives. */
export async function startMailCatcher(): Promise<MailCatcher> {
  const mails: CaughtMail[] = [];
  let refusal: Parameters<MailCatcher["refuse"]>[0] = null;
  const refused = (stage: "recipient" | "data") =>
    refusal?.stage === stage ? Object.assign(new Error("not now"), { responseCode: refusal.code }) : null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    hideSMTPUTF8: false,
    logger: false,
    onRcptTo: (_, __, done) => done(refused("recipient")),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks);
        const error = refused("data");
        if (error) return done(error);
        void PostalMime.parse(raw).then((mail) => {
          const recipients = session.envelope.rcptTo.map((recipient) => recipient.address);
          mails.push({ ...mail, recipients, raw: raw.toString("utf8") });
          done();
        });
      });
    },
  });
  // Some tests kill the client in the middle of a mail.
  server.on("error", () => undefined);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // The address of a listening TCP server is an object.
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    to: (address) => mails.filter((mail) => mail.recipients.includes(address)),
    refuse: (answer) => {
      refusal = answer;
    },
    close: () => new Promise((done) => server.close(() => done())),
  };
}
