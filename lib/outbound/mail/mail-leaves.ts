import { env } from "@/lib/runtime/env";
import { serviceSecret } from "@/lib/runtime/service-secrets";

/**
 * Whether a queued mail leaves this machine. In the simulated market the local outbox counts, since it is where the
 * reader of a demo looks.
 */
export const mailLeaves = (): boolean =>
  serviceSecret("RESEND_API_KEY") !== null ||
  serviceSecret("SMTP_URL") !== null ||
  env().marketFeed === "demo";

/** Where an invitation is while no transport is set: only someone with access to the machine can read it there. */
export const NOT_SENT =
  "the mail was not sent: no mail transport is set. It is a file in the folder “outbox” of the data directory. Set a transport under Mail, then send a new invitation.";
