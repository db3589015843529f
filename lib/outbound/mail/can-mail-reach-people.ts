import { env } from "@/lib/runtime/env";
import { serviceSecret } from "@/lib/runtime/service-secrets";

/** Whether mails reach people. In the simulated market the local outbox counts, because demo users read it. */
export const canMailReachPeople = (): boolean =>
  serviceSecret("RESEND_API_KEY") !== null ||
  serviceSecret("SMTP_URL") !== null ||
  env().marketFeed === "demo";

/** Where to find an invitation while no mail transport is configured. Reading the file needs access to the machine. */
export const MAIL_NOT_SENT_HINT =
  "the mail was not sent: no mail transport is set. It is a file in the folder “outbox” of the data directory. Set a transport under Mail, then send a new invitation.";
