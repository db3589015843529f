import { type Env, env } from "@/lib/runtime/env";

/**
 * Whether a queued mail leaves this machine. In the simulated market the local outbox counts, since it is where the
 * reader of a demo looks.
 */
export function mailLeaves(config: Env = env()): boolean {
  return config.resendApiKey !== null || config.smtpUrl !== null || config.marketFeed === "demo";
}
