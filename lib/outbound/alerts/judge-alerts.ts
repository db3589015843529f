import type { DeadLetters } from "@/db/queries/alerts";
import { adminPaths } from "@/lib/paths";
import { counted } from "@/lib/runtime/counted";
import { HOUR_MS, MINUTE_MS } from "@/lib/time";
import type { AlertTopic, HealthState } from "@/lib/vocabulary";

/** What the alerts are judged by. */
export interface AlertFacts {
  now: Date;
  /** Incidents that are open: two probes in a row said so. */
  incidents: readonly { component: string; severity: HealthState; reasons: readonly string[] }[];
  refusals: { at: string; since?: string; inARow: number } | null;
  dead: DeadLetters;
  /** null: none are configured. */
  backup: { hours: number | null; isLate: boolean } | null;
  /** Of the disk that holds DATA_DIR; null: it cannot be read. */
  disk: { freeBytes: number; totalBytes: number } | null;
  clients: { total: number; offline: number };
  /** The operator's own models with an overdue signal, as `EURUSD H1 (gbt-7)`. */
  lateModels: readonly string[];
  /** Whether clients would call now. */
  isMarketOpen: boolean;
}

/** Something that is wrong, in words for an owner. */
export interface WrongState {
  topic: AlertTopic;
  title: string;
  text: string;
  /** The page to open, below the base address. */
  path: string;
}

/** One or two may be a scanner; a platform with another secret repeats. */
const REFUSED_IN_A_ROW = 3;
/** Made-up deliveries of a stranger come in a burst; a platform repeats what was refused for hours. */
const REFUSED_FOR_MS = 15 * MINUTE_MS;
/** How long refusals count after the last one. */
const REFUSED_LATELY_MS = HOUR_MS;
const LEAST_FREE_SHARE = 0.05;
const LEAST_FREE_BYTES = 1024 ** 3;
/** Of fewer clients one night is no sign. */
const MIN_CLIENTS = 4;

/** What is wrong at this moment, at most once for each topic. Pure. */
export function judgeAlerts(facts: AlertFacts): WrongState[] {
  return [
    health(facts),
    refusals(facts),
    dead(facts),
    diskOrBackup(facts),
    clients(facts),
    ownModels(facts),
  ].flatMap((found) => found ?? []);
}

function health({ incidents }: AlertFacts): WrongState | null {
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

function refusals({ refusals: noted, now }: AlertFacts): WrongState | null {
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

function dead({ dead: { mails, webhooks, telegram, channels } }: AlertFacts): WrongState | null {
  const n = mails + webhooks + telegram + channels;
  if (n === 0) return null;
  const parts = [
    mails > 0 ? counted(mails, "mail") : null,
    webhooks > 0 ? counted(webhooks, "delivery to a server", "deliveries to servers") : null,
    telegram > 0 ? counted(telegram, "Telegram message") : null,
    channels > 0 ? counted(channels, "message to a channel", "messages to channels") : null,
  ].filter((part) => part !== null);
  return {
    topic: "dead_letters",
    title: `${counted(n, "message")} could not be delivered`,
    text: `In the last day: ${parts.join(", ")}. Somebody may be waiting for a key.`,
    path: mails > 0 ? adminPaths.mail({ status: "dead" }) : adminPaths.outbound(),
  };
}

function diskOrBackup({ disk, backup }: AlertFacts): WrongState | null {
  // A twentieth of a small disk, a gigabyte of a large one.
  const isFull =
    disk !== null && disk.freeBytes < Math.min(LEAST_FREE_BYTES, LEAST_FREE_SHARE * disk.totalBytes);
  const isLate = backup?.isLate === true;
  if (!isFull && !isLate) return null;
  const texts = [
    isFull && disk ? `${Math.floor(disk.freeBytes / 1024 ** 2)} MB are free on the disk of DATA_DIR.` : null,
    isLate && backup
      ? backup.hours === null
        ? "No backup was taken yet."
        : `The newest good backup is ${Math.floor(backup.hours)} h old.`
      : null,
  ].filter((text) => text !== null);
  return {
    topic: "disk_or_backup",
    title: isFull ? "The disk is nearly full" : "The backup is late",
    text: texts.join(" "),
    path: isFull ? adminPaths.operations() : adminPaths.backup(),
  };
}

function clients({ clients: { total, offline }, isMarketOpen }: AlertFacts): WrongState | null {
  if (!isMarketOpen || total < MIN_CLIENTS || offline <= total / 2) return null;
  return {
    topic: "silent_clients",
    title: "Most trading clients are silent",
    text: `${offline} of ${total} have not called for more than 30 minutes while markets are open.`,
    path: adminPaths.subscribers({ ea: "offline", state: "active" }),
  };
}

const MOST_NAMED = 10;

function ownModels({ lateModels }: AlertFacts): WrongState | null {
  const n = lateModels.length;
  if (n === 0) return null;
  const more = n > MOST_NAMED ? ` and ${n - MOST_NAMED} more` : "";
  return {
    topic: "own_model_late",
    title: n === 1 ? "Your own model is late" : `${n} of your own models are late`,
    text: `No signal in time: ${lateModels.slice(0, MOST_NAMED).join(", ")}${more}. Check the server that sends them.`,
    path: adminPaths.models(),
  };
}

/** A topic is told again at the earliest after so long, and for as long as it lasts once a day. */
export const REPEAT_MS = 60 * MINUTE_MS;
