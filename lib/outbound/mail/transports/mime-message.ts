import type Mail from "nodemailer/lib/mailer";
import { type OutgoingMail, unsubscribeHeaders } from "@/lib/outbound/mail/transport";

/** The MIME message for SMTP and the local outbox. */
export function mimeMessage(mail: OutgoingMail): Mail.Options {
  return {
    from: mail.from,
    // As an object, so that the text cannot be parsed as a list of addresses.
    to: { name: "", address: mail.to },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: `<${mail.kind}.${mail.mailId}@${senderDomain(mail.from)}>`,
    headers: {
      // Suppresses out-of-office replies.
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      ...unsubscribeHeaders(mail),
    },
  };
}

function senderDomain(from: string): string {
  return /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? "localhost.localdomain";
}
