import type { DeadLetterCounts } from "@/db/queries/alerts";
import { adminPaths } from "@/lib/paths";
import { countWithNoun, formatCount } from "@/lib/runtime/count-with-noun";
import { HOUR_MS, MINUTE_MS } from "@/lib/time";
import type { AlertTopic, HealthState } from "@/lib/vocabulary";

/** The facts that alerts are evaluated on. */
export interface AlertInputs {
  now: Date;
  /** Open incidents, each confirmed by two consecutive probes. */
  incidents: readonly { component: string; severity: HealthState; reasons: readonly string[] }[];
  refusals: { at: string; since?: string; inARow: number } | null;
  dead: DeadLetterCounts;
  /** null: backups are off. */
  backup: { hours: number | null; isLate: boolean } | null;
  /** The disk of DATA_DIR; null: unreadable. */
  disk: { freeBytes: number; totalBytes: number } | null;
  clients: { total: number; offline: number };
  /** The operator's own models with an overdue signal, as `EURUSD H1 (gbt-7)`. */
  lateModels: readonly string[];
  /** Whether the FX market is open now, so that trading clients are expected to call. */
  isMarketOpen: boolean;
}

/** A problem that exists now, with the text for an owner. */
export interface FiringAlert {
  topic: AlertTopic;
  title: string;
  text: string;
  /** Path of the page about the problem. */
  path: string;
}

/**
 * Consecutive refused deliveries before an alert: one or two may come from a scanner, but a platform with another
 * secret keeps retrying.
 */
const REFUSED_IN_A_ROW = 3;
/**
 * Shortest duration of a series of refusals before an alert: forged deliveries come in a burst, but a platform retries
 * refused ones for hours.
 */
const REFUSED_FOR_MS = 15 * MINUTE_MS;
/** A series of refusals raises an alert only until this long after the last refusal. */
const REFUSED_LATELY_MS = HOUR_MS;
const MIN_FREE_SHARE = 0.05;
const MIN_FREE_BYTES = 1024 ** 3;
/** Fewer clients can all be offline by chance, so they raise no alert. */
const MIN_CLIENTS = 4;

/** The alerts that fire now, at most one per topic. Pure. */
export function evaluateAlerts(facts: AlertInputs): FiringAlert[] {
  return [
    health(facts),
    refusals(facts),
    dead(facts),
    diskOrBackup(facts),
    clients(facts),
    ownModels(facts),
  ].flatMap((found) => found ?? []);
}

function health({ incidents }: AlertInputs): FiringAlert | null {
  if (incidents.length === 0) return null;
  const isDown = incidents.some(({ severity }) => severity === "down");
  const said = incidents.map(
    ({ component, reasons }) => `${component}: ${reasons.join("; ") || "no reason recorded"}`,
  );
  return {
    topic: "health",
    title: isDown ? "The service is down" : "The service is degraded",
    text: `${said.join(". ")}.`,
    path: adminPaths.overview(),
  };
}

function refusals({ refusals: noted, now }: AlertInputs): FiringAlert | null {
  if (noted === null || noted.inARow < REFUSED_IN_A_ROW) return null;
  if (now.getTime() - Date.parse(noted.at) > REFUSED_LATELY_MS) return null;
  if (Date.parse(noted.at) - Date.parse(noted.since ?? noted.at) < REFUSED_FOR_MS) return null;
  return {
    topic: "payments_refused",
    title: "Payment deliveries are refused",
    text: `${noted.inARow} in a row had an invalid signature. Was the webhook secret replaced on one side only?`,
    path: adminPaths.platforms(),
  };
}

function dead({ dead: { mails, webhooks, telegram, channels } }: AlertInputs): FiringAlert | null {
  const n = mails + webhooks + telegram + channels;
  if (n === 0) return null;
  const parts = [
    mails > 0 ? countWithNoun(mails, "mail") : null,
    webhooks > 0 ? countWithNoun(webhooks, "delivery to a server", "deliveries to servers") : null,
    telegram > 0 ? countWithNoun(telegram, "Telegram message") : null,
    channels > 0 ? countWithNoun(channels, "message to a channel", "messages to channels") : null,
  ].filter((part) => part !== null);
  return {
    topic: "dead_letters",
    title: `${countWithNoun(n, "message")} could not be delivered`,
    text: `In the last day: ${parts.join(", ")}. A customer may be waiting for a key.`,
    path: mails > 0 ? adminPaths.mail({ status: "dead" }) : adminPaths.outbound(),
  };
}

function diskOrBackup({ disk, backup }: AlertInputs): FiringAlert | null {
  // Nearly full: less than 5 % free on a small disk, or less than one gigabyte on a large one.
  const isFull = disk !== null && disk.freeBytes < Math.min(MIN_FREE_BYTES, MIN_FREE_SHARE * disk.totalBytes);
  const isLate = backup?.isLate === true;
  if (!isFull && !isLate) return null;
  const texts = [
    isFull && disk ? `${Math.floor(disk.freeBytes / 1024 ** 2)} MB are free on the disk of DATA_DIR.` : null,
    isLate && backup
      ? backup.hours === null
        ? "There is no backup yet."
        : `The newest verified backup is ${Math.floor(backup.hours)} h old.`
      : null,
  ].filter((text) => text !== null);
  return {
    topic: "disk_or_backup",
    title: isFull ? "The disk is nearly full" : "The backup is late",
    text: texts.join(" "),
    path: isFull ? adminPaths.operations() : adminPaths.backup(),
  };
}

function clients({ clients: { total, offline }, isMarketOpen }: AlertInputs): FiringAlert | null {
  if (!isMarketOpen || total < MIN_CLIENTS || offline <= total / 2) return null;
  return {
    topic: "silent_clients",
    title: "Most trading clients are silent",
    text: `${formatCount(offline)} of ${formatCount(total)} have not called for more than 30 minutes while markets are open.`,
    path: adminPaths.subscribers({ ea: "offline", state: "active" }),
  };
}

const MAX_NAMED = 10;

function ownModels({ lateModels }: AlertInputs): FiringAlert | null {
  const n = lateModels.length;
  if (n === 0) return null;
  const more = n > MAX_NAMED ? ` and ${n - MAX_NAMED} more` : "";
  return {
    topic: "own_model_late",
    title: n === 1 ? "Your own model is late" : `${n} of your own models are late`,
    text: `No signal in time: ${lateModels.slice(0, MAX_NAMED).join(", ")}${more}. Check the server that sends them.`,
    path: adminPaths.models(),
  };
}

/**
 * Shortest time between two new alerts or reminders of a topic to an owner. Messages that an alert is over are exempt.
 */
export const MIN_NOTIFICATION_GAP_MS = 60 * MINUTE_MS;
