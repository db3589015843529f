import type { ClientCounts } from "@/db/queries/subscribers";
import type { BackupAge } from "@/lib/health/backup-age";
import type { ServiceHealthReason } from "@/lib/market/assess-slots";
import { adminPaths } from "@/lib/paths";
import { countWithNoun, formatCount } from "@/lib/runtime/count-with-noun";
import { API_VERSION } from "@/lib/runtime/version";
import { minuteInUtc, minutesBetween } from "@/lib/time";
import type { HealthState } from "@/lib/vocabulary";

export interface AttentionItem {
  tone: "danger" | "warn";
  title: string;
  text: string;
  href: string;
  linkLabel: string;
}

/** State of the running service as the overview reads it. */
export interface OverviewFacts {
  now: Date;
  health: { status: HealthState; reasons: readonly ServiceHealthReason[] };
  /** Components that are not ok. */
  troubled: readonly { component: string; name: string; status: HealthState; reason: string | null }[];
  staleSlots: { symbol: string; timeframe: string; ageMinutes: number | null }[];
  mail: { pending: number; dead: number; oldestPendingAt: Date | null; transport: string };
  payments: { flagged: number };
  /** What no configured encryption key decrypts, as text; null: everything can be decrypted. */
  unreadable: string | null;
  /** Number of downtime credits that will be granted unless they are declined. */
  proposedCredits: number;
  clients: ClientCounts;
  jobs: { job: string; lastErrorCode: string | null }[];
  lastProbeAt: Date | null;
  /** Number of errors of the last 10 minutes at this machine's HTTP server, by error code. */
  errors10min: ReadonlyMap<string, number>;
  models: { drifting: number };
  features: { broken: number };
  /** Candle feeds with a problem. */
  feeds: readonly { name: string; trouble: string | null; needsPerson: boolean }[];
  /** Number of implausible candles that trainings found in the last seven days. */
  oddCandles: number;
  /** Symbols with a guessed calendar. */
  guessedSymbols: readonly string[];
  /** Pauses in force: target, start and end. */
  pauses: readonly { of: string; startedAt: Date; until: Date | null }[];
  simulated: boolean;
  /** Whether the first signal of the database was simulated; null: there is none yet, or an earlier release stored it. */
  isFirstSignalSimulated: boolean | null;
  /** null: no backups are configured. */
  backup: BackupAge | null;
  /** The database's schema compared with this release. */
  schema: { state: "current" | "newer" | "older" };
  /** Other releases with processes on this database; null: a release that does not name itself. */
  otherReleases: readonly (string | null)[];
  /** When X-Forwarded-For was last ignored in nearly all requests of ten minutes; null: never. */
  forwardedIgnoredAt: Date | null;
}

const MAIL_WAIT_MINUTES = 10;
const PROBE_SILENCE_MINUTES = 3;
/**
 * Minutes for which a note of an ignored X-Forwarded-For counts. A process writes the note every ten minutes while nearly
 * all requests have the header.
 */
const IGNORED_LATELY_MINUTES = 30;
const AUTH_FAILURES = 10;
/**
 * More wrong signatures than this are a problem: one or two may come from a scanner, but a platform with a wrong secret
 * repeats.
 */
const BAD_SIGNATURES = 2;
/** Fewer clients may all be silent by chance, so they are no problem. */
const MIN_CLIENTS = 4;

/** Components with rules of more detail. */
const REPORTED_OTHERWISE: ReadonlySet<string> = new Set(["predictions", "worker", "mail"]);

const over = (n: number, limit: number) => (n > limit ? [n] : []);
const minutesOver = (at: Date | null, now: Date, limit: number) =>
  at === null ? [] : over(minutesBetween(at, now), limit);

/**
 * Problems that need an administrator, those of the tone `danger` first. Each item says what happened and what it
 * means, and links to the page for it. Pure.
 */
export function attentionItems(facts: OverviewFacts): AttentionItem[] {
  return RULES.flatMap((detect) => detect(facts)).toSorted(
    (a, b) => Number(b.tone === "danger") - Number(a.tone === "danger"),
  );
}

/** Makes a rule: what it detects in the facts, its message for each find, and the link to the page for it. */
function rule<T>({
  finds,
  tone = () => "warn",
  title,
  text,
  link,
}: {
  finds: (facts: OverviewFacts) => readonly T[];
  tone?: (facts: OverviewFacts) => AttentionItem["tone"];
  title: (found: T, facts: OverviewFacts) => string;
  text: (found: T, facts: OverviewFacts) => string;
  link: Pick<AttentionItem, "href" | "linkLabel">;
}): (facts: OverviewFacts) => AttentionItem[] {
  return (facts) =>
    finds(facts).map((found) => ({
      tone: tone(facts),
      title: title(found, facts),
      text: text(found, facts),
      ...link,
    }));
}

const LINKS = {
  slots: { href: adminPaths.signals(), linkLabel: "Signals and slots" },
  jobs: { href: adminPaths.operations(), linkLabel: "Jobs" },
  errors: { href: adminPaths.operations(), linkLabel: "Errors" },
  backup: { href: adminPaths.backup(), linkLabel: "Backup" },
  operations: { href: adminPaths.operations(), linkLabel: "Operations" },
  models: { href: adminPaths.models(), linkLabel: "Models" },
};

/** What a failed job delays, by its name. */
const UNTIL_JOB_RUNS: Readonly<Record<string, string>> = {
  feeds: "no candles arrive",
  signals: "no signals are produced",
  training: "no model is trained; signals continue with the models in use",
  outcomes: "no results are computed",
  settle: "no signals are entered into the ledger",
  mail: "mails wait",
  webhooks: "webhook events wait",
  telegram: "Telegram messages wait",
  channels: "messages to channels wait",
  alerts: "alerts wait",
  credits: "downtime credits wait",
  backup: "no backup is taken",
  probe: "the status page counts the time as down",
};

const RULES = [
  rule({
    finds: ({ health }) => health.reasons,
    tone: ({ health }) => (health.status === "down" ? "danger" : "warn"),
    title: (_, { health }) => (health.status === "down" ? "The service is down" : "The service is degraded"),
    text: ({ code, text }) =>
      `${capital(text)}. ${code === "no_active_slots" ? "Add a feed, or register your own model. " : ""}Subscribers' clients see 503 on the health address.`,
    link: LINKS.slots,
  }),
  rule({
    finds: ({ troubled }) => troubled.filter(({ component }) => !REPORTED_OTHERWISE.has(component)),
    title: ({ name, status }) => `${name}: ${status}`,
    text: ({ reason, status }) => `${capital(reason ?? status)}.`,
    link: LINKS.operations,
  }),
  rule({
    finds: ({ lastProbeAt, now }) => minutesOver(lastProbeAt, now, PROBE_SILENCE_MINUTES),
    tone: () => "danger",
    title: () => "The background worker is silent",
    text: (minutes) =>
      `No probe for ${Math.floor(minutes)} min. Until it runs, no mail is sent and no signal produced.`,
    link: LINKS.jobs,
  }),
  rule({
    finds: ({ unreadable }) => (unreadable === null ? [] : [unreadable]),
    tone: () => "danger",
    title: () => "Encryption keys are missing",
    text: (values) =>
      `No configured key decrypts ${values}. Start the service with the keys of the installation that stored them: ENCRYPTION_KEY, or DATA_DIR/secrets.json.`,
    link: LINKS.operations,
  }),
  rule({
    finds: ({ mail }) => over(mail.dead, 0),
    tone: () => "danger",
    title: (n) => `${countWithNoun(n, "mail")} could not be delivered`,
    text: () => "Someone may be waiting for a key. Correct the address and send it again.",
    link: { href: adminPaths.mail({ status: "dead" }), linkLabel: "Undelivered mail" },
  }),
  rule({
    finds: ({ mail, now }) => minutesOver(mail.oldestPendingAt, now, MAIL_WAIT_MINUTES),
    title: () => "Mail is waiting",
    text: (minutes, { mail }) =>
      `${countWithNoun(mail.pending, "mail")} not sent, the oldest for ${Math.floor(minutes)} min.`,
    link: { href: adminPaths.mail({ status: "pending" }), linkLabel: "Mail queue" },
  }),
  rule({
    finds: ({ mail, simulated }) => (mail.transport === "outbox" && !simulated ? [mail] : []),
    title: () => "Mail is not being sent",
    text: () => "No mail transport is configured. Mails are written to files in the local outbox.",
    link: { href: adminPaths.mail(), linkLabel: "Mail" },
  }),
  rule({
    finds: ({ payments }) => over(payments.flagged, 0),
    title: (n) => `${countWithNoun(n, "payment needs", "payments need")} a review`,
    text: () => "A payment was not fully understood, or access does not follow from it alone.",
    link: { href: adminPaths.payments({ flagged: "yes" }), linkLabel: "Payments to review" },
  }),
  rule({
    finds: ({ proposedCredits }) => over(proposedCredits, 0),
    title: (n) => `${countWithNoun(n, "downtime credit")} proposed`,
    text: () => "Each extends a subscriber's access at the time on its page, unless you decline it before.",
    link: { href: adminPaths.credits({ state: "proposed" }), linkLabel: "Downtime credits" },
  }),
  rule({
    finds: ({ errors10min }) => over(errors10min.get("signature_invalid") ?? 0, BAD_SIGNATURES),
    title: () => "Payment deliveries are refused",
    text: (n) =>
      `${countWithNoun(n, "delivery", "deliveries")} with an invalid signature in 10 min. Was the webhook secret replaced on one side only?`,
    link: { href: adminPaths.platforms(), linkLabel: "Payment platforms" },
  }),
  rule({
    // Only wrong secrets count: a request without a secret is no guess.
    finds: ({ errors10min }) => over(errors10min.get("admin_secret_invalid") ?? 0, AUTH_FAILURES),
    title: () => "Someone is guessing the administrator secret",
    text: (n) => `${formatCount(n)} failures in 10 min. Addresses are blocked after ten a minute.`,
    link: LINKS.errors,
  }),
  rule({
    finds: ({ forwardedIgnoredAt, now }) =>
      forwardedIgnoredAt !== null && minutesBetween(forwardedIgnoredAt, now) < IGNORED_LATELY_MINUTES
        ? [forwardedIgnoredAt]
        : [],
    tone: () => "danger",
    title: () => "X-Forwarded-For is ignored",
    text: () =>
      "Nearly all requests have it, so a proxy seems to be in front. Set TRUST_PROXY_HOPS: until then all visitors " +
      "share one address, and one of them can lock you out.",
    link: LINKS.errors,
  }),
  rule({
    finds: ({ isFirstSignalSimulated, simulated }) =>
      isFirstSignalSimulated !== null && isFirstSignalSimulated !== simulated ? [simulated] : [],
    tone: () => "danger",
    title: () => "Simulated and real signals are mixed",
    text: (simulated) =>
      simulated
        ? "MARKET_FEED is demo, and the database is that of a real service: simulated signals are added to it."
        : "The database began as a demo. Its simulated signals, candles and positions count in what subscribers see. Run the service on a new database.",
    link: { href: adminPaths.feeds(), linkLabel: "Feeds" },
  }),
  rule({
    finds: ({ backup }) => (backup?.isLate ? [backup.hours] : []),
    tone: () => "danger",
    title: () => "The backup is late",
    text: (hours) =>
      hours === null
        ? "No backup was taken yet. The worker tries every five minutes; its log says why it fails."
        : `The newest good backup is ${Math.floor(hours)} h old. The worker's log says why it fails.`,
    link: LINKS.backup,
  }),
  rule({
    finds: ({ backup, simulated }) => (backup === null && !simulated ? [null] : []),
    title: () => "Backups are off",
    text: () => "Set BACKUP_PASSPHRASE and restart. Until then a broken disk loses everything.",
    link: LINKS.backup,
  }),
  rule({
    finds: ({ schema }) => (schema.state === "current" ? [] : [schema.state]),
    title: (state) =>
      state === "newer" ? "The database is newer than this release" : "This release waits for a restart",
    text: (state) =>
      state === "newer"
        ? "A newer release has upgraded the database. This process works with it; restart it with that release, unless you went back on purpose."
        : "Migrations of this release are pending. Restart the service to apply them.",
    link: LINKS.operations,
  }),
  rule({
    finds: ({ otherReleases }) => (otherReleases.length > 0 ? [otherReleases] : []),
    title: () => "Another release is running too",
    text: (releases) =>
      `Processes of ${namesOfReleases(releases)} use this database beside ${API_VERSION}. Unless an upgrade is running, restart processes until all run the same release.`,
    link: LINKS.operations,
  }),
  rule({
    finds: ({ jobs }) => jobs.filter(({ lastErrorCode }) => lastErrorCode !== null),
    title: ({ job }) => `The job “${job}” failed`,
    text: ({ job, lastErrorCode }) =>
      `${lastErrorCode === "database_unavailable" ? "The database did not answer its last run in time" : `Its last run ended with ${lastErrorCode}`}. It runs again automatically.${UNTIL_JOB_RUNS[job] ? ` Until then ${UNTIL_JOB_RUNS[job]}.` : ""}`,
    link: LINKS.jobs,
  }),
  rule({
    finds: ({ feeds }) => feeds.filter(({ trouble }) => trouble !== null),
    title: ({ name }) => `The feed ${name} does not work`,
    text: ({ trouble, needsPerson }) =>
      `It ${trouble}${/[.!?]$/.test(trouble ?? "") ? "" : "."} ${needsPerson ? "It continues when you correct its configuration." : "It is retried automatically."}`,
    link: { href: adminPaths.feeds(), linkLabel: "Feeds" },
  }),
  rule({
    finds: ({ health, staleSlots }) => (health.status === "ok" ? over(staleSlots.length, 0) : []),
    title: (n) => `${countWithNoun(n, "slot")} without a fresh signal`,
    text: (_, { staleSlots }) => staleSlots.slice(0, 4).map(describeStale).join(", "),
    link: LINKS.slots,
  }),
  rule({
    finds: ({ guessedSymbols }) => (guessedSymbols.length > 0 ? [guessedSymbols] : []),
    title: (symbols) => `Trading hours unknown: ${symbols.slice(0, 4).join(", ")}`,
    text: (symbols) =>
      `The service does not know ${symbols.length === 1 ? "this symbol" : "these symbols"}. Until you choose a calendar, the hours of FX are assumed.`,
    link: { href: adminPaths.symbols(), linkLabel: "Symbols" },
  }),
  rule({
    finds: ({ pauses }) => pauses,
    title: ({ of }) => `Paused: ${of}`,
    text: ({ startedAt, until }, { now }) =>
      `Not delivered for ${Math.floor(minutesBetween(startedAt, now))} min. ${until === null ? "The pause ends when you end it." : `The pause ends at ${minuteInUtc(until)}.`}`,
    link: { href: adminPaths.signals(), linkLabel: "Pauses" },
  }),
  rule({
    finds: ({ models }) => over(models.drifting, 0),
    title: (n) => `${countWithNoun(n, "slot")} drifting`,
    text: () =>
      "Forecasts and outcomes differ by more than chance, or the model is worse than the class frequencies.",
    link: LINKS.models,
  }),
  rule({
    finds: ({ oddCandles }) => over(oddCandles, 0),
    title: (n) => `${countWithNoun(n, "stored candle")} ${n === 1 ? "looks" : "look"} wrong`,
    text: () =>
      "Bad ticks or splits, found by trainings in the last week. Trainings leave them out, but outcomes use them: send a corrected candle if the price was never traded.",
    link: { href: adminPaths.feeds(), linkLabel: "Odd candles" },
  }),
  rule({
    finds: ({ features }) => over(features.broken, 0),
    title: (n) => `${countWithNoun(n, "feature")} far from training`,
    text: () =>
      "Nearly all of its newest values fall into one tenth of the training sample's (PSI above 7). It is probably not calculated as in training.",
    link: LINKS.models,
  }),
  rule({
    finds: ({ clients }) => (clients.total >= MIN_CLIENTS ? over(clients.offline, clients.total / 2) : []),
    title: () => "Most trading clients are offline",
    text: (n, { clients }) =>
      `${formatCount(n)} of ${formatCount(clients.total)} have been silent for more than 30 min.`,
    link: { href: adminPaths.subscribers({ ea: "offline", state: "active" }), linkLabel: "Offline clients" },
  }),
];

/** The releases as text: `1.2.0, an older release`. */
export const namesOfReleases = (releases: readonly (string | null)[]): string =>
  releases.map((release) => release ?? "an older release").join(", ");

function describeStale(slot: OverviewFacts["staleSlots"][number]): string {
  const age = slot.ageMinutes === null ? "never" : `${Math.round(slot.ageMinutes)} open-market min`;
  return `${slot.symbol} ${slot.timeframe} (${age})`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
