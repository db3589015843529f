import type { ClientCounts } from "@/db/queries/subscribers";
import { adminPaths } from "@/lib/paths";
import { minutesBetween } from "@/lib/time";
import type { HealthState } from "@/lib/vocabulary";

export interface AttentionItem {
  tone: "danger" | "warn";
  title: string;
  text: string;
  href: string;
  linkLabel: string;
}

/** What the overview knows of the running service. */
export interface OverviewFacts {
  now: Date;
  health: { status: HealthState; reasons: string[] };
  staleSlots: { symbol: string; timeframe: string; ageMinutes: number | null }[];
  mail: { pending: number; dead: number; oldestPendingAt: Date | null; transport: string };
  payments: { flagged: number };
  clients: ClientCounts;
  jobs: { job: string; lastErrorCode: string | null }[];
  lastProbeAt: Date | null;
  /** Answers by error word in the last 10 minutes, in this process. */
  errors10min: ReadonlyMap<string, number>;
  models: { drifting: number };
  features: { drifted: number };
  simulated: boolean;
}

const MAIL_WAIT_MINUTES = 10;
const PROBE_SILENCE_MINUTES = 3;
const AUTH_FAILURES = 10;

const minutesSince = (at: Date, now: Date) => minutesBetween(at, now);
const plural = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

/**
 * What a person should look at, worst first; empty when the service needs nobody. Each item says what happened, what
 * it means and leads to where it is dealt with. Pure.
 */
export function attentionItems(facts: OverviewFacts): AttentionItem[] {
  const items: AttentionItem[] = [];
  const add = (when: boolean, item: AttentionItem) => {
    if (when) items.push(item);
  };

  for (const reason of facts.health.reasons) {
    const [code = "", text = reason] = reason.split(/:\s(.*)/s);
    items.push({
      tone: facts.health.status === "down" ? "danger" : "warn",
      title: facts.health.status === "down" ? "The service is down" : "The service is degraded",
      text: `${capital(text)} (${code}). Subscribers' clients see 503 on the health address.`,
      href: adminPaths.signals(),
      linkLabel: "Signals and slots",
    });
  }
  const probeAge = facts.lastProbeAt ? minutesSince(facts.lastProbeAt, facts.now) : null;
  add(probeAge !== null && probeAge > PROBE_SILENCE_MINUTES, {
    tone: "danger",
    title: "The background worker is silent",
    text: `No probe for ${Math.floor(probeAge ?? 0)} min: no mail is sent, no signal made, no outcome judged.`,
    href: adminPaths.operations(),
    linkLabel: "Jobs",
  });
  add(facts.mail.dead > 0, {
    tone: "danger",
    title: `${plural(facts.mail.dead, "mail")} could not be delivered`,
    text: "Someone may be waiting for a key. Correct the address and send it again.",
    href: adminPaths.mail({ status: "dead" }),
    linkLabel: "Undelivered mail",
  });
  const mailAge = facts.mail.oldestPendingAt ? minutesSince(facts.mail.oldestPendingAt, facts.now) : 0;
  add(mailAge > MAIL_WAIT_MINUTES, {
    tone: "warn",
    title: "Mail is waiting",
    text: `${plural(facts.mail.pending, "mail")} not sent, the oldest for ${Math.floor(mailAge)} min.`,
    href: adminPaths.mail({ status: "pending" }),
    linkLabel: "Mail queue",
  });
  add(facts.mail.transport === "outbox" && !facts.simulated, {
    tone: "warn",
    title: "Mail leaves this machine nowhere",
    text: "No mail transport is configured: mails are written to files in the local outbox.",
    href: adminPaths.mail(),
    linkLabel: "Mail",
  });
  add(facts.payments.flagged > 0, {
    tone: "warn",
    title: `${plural(facts.payments.flagged, "payment")} to look at`,
    text: "An unknown product was given a plan by its name, or a buyer has another paid invoice.",
    href: adminPaths.payments({ flagged: "yes" }),
    linkLabel: "Flagged deliveries",
  });
  const signatures = facts.errors10min.get("signature_invalid") ?? 0;
  add(signatures >= 3, {
    tone: "warn",
    title: "Payment deliveries are refused",
    text: `${plural(signatures, "delivery", "deliveries")} with an invalid signature in 10 min. Was the webhook secret replaced on one side only?`,
    href: adminPaths.operations(),
    linkLabel: "Refusals",
  });
  // Who sends none guesses nothing, and is never blocked.
  const guesses = facts.errors10min.get("admin_secret_invalid") ?? 0;
  add(guesses > AUTH_FAILURES, {
    tone: "warn",
    title: "Someone guesses the administrator secret",
    text: `${guesses} failures in 10 min. Addresses are blocked after ten a minute.`,
    href: adminPaths.operations(),
    linkLabel: "Refusals",
  });
  for (const job of facts.jobs.filter(({ lastErrorCode }) => lastErrorCode !== null)) {
    items.push({
      tone: "warn",
      title: `The job “${job.job}” failed`,
      text: `Its last run ended with ${job.lastErrorCode}. It is tried again at its next turn.`,
      href: adminPaths.operations(),
      linkLabel: "Jobs",
    });
  }
  add(facts.health.status === "ok" && facts.staleSlots.length > 0, {
    tone: "warn",
    title: `${plural(facts.staleSlots.length, "slot")} without a fresh signal`,
    text: facts.staleSlots.slice(0, 4).map(describeStale).join(", "),
    href: adminPaths.signals(),
    linkLabel: "Signals and slots",
  });
  add(facts.models.drifting > 0, {
    tone: "warn",
    title: `${plural(facts.models.drifting, "model")} drifting`,
    text: "What the model says and what happens have come apart, or it is worse than the class frequencies.",
    href: adminPaths.models(),
    linkLabel: "Models",
  });
  add(facts.features.drifted > 0, {
    tone: "warn",
    title: `${plural(facts.features.drifted, "feature")} drifted`,
    text: "Inputs no longer look like those of the training sample (PSI above 0.25).",
    href: adminPaths.models(),
    linkLabel: "Models",
  });
  const silent = facts.clients.offline;
  add(facts.clients.total >= 4 && silent > facts.clients.total / 2, {
    tone: "warn",
    title: "Most trading clients are offline",
    text: `${silent} of ${facts.clients.total} have been silent for more than 30 min.`,
    href: adminPaths.subscribers({ ea: "offline", state: "active" }),
    linkLabel: "Offline clients",
  });
  return items.toSorted((a, b) => Number(b.tone === "danger") - Number(a.tone === "danger"));
}

function describeStale(slot: OverviewFacts["staleSlots"][number]): string {
  const age = slot.ageMinutes === null ? "never" : `${Math.round(slot.ageMinutes)} open-market min`;
  return `${slot.symbol} ${slot.timeframe} (${age})`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
