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
