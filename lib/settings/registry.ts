import type { DatabaseHandle } from "@/db/client";
import {
  bumpModelsVersion,
  countBuiltInChampions,
  demoteBuiltInChampions,
  lockModels,
  reinstateBuiltInChampions,
} from "@/db/queries/models";
import {
  countKeysEndingWithin,
  countKeysWithEnd,
  countRecentPaymentDeliveries,
} from "@/db/queries/setting-facts";
import { readSetting, readSettingRows } from "@/db/queries/settings";
import { findPicture, writePicture } from "@/db/queries/site";
import { listSignalProductionStates, listSlotStates } from "@/db/queries/slots";
import { listTrainingStates } from "@/db/queries/trainings";
import { BASELINE_VERSION } from "@/lib/engine/baseline";
import { MIN_TRAINING_CANDLES } from "@/lib/engine/train";
import { assessSlots, DEFAULT_HEALTH_THRESHOLDS } from "@/lib/market/assess-slots";
import { brandOf, DEFAULT_ACCENT } from "@/lib/runtime/brand";
import { NO_BRAND } from "@/lib/runtime/brand-settings";
import { accentProblem } from "@/lib/runtime/colours";
import { countWithNoun } from "@/lib/runtime/count-with-noun";
import { env } from "@/lib/runtime/env";
import { DEFAULT_API_ROOTS } from "@/lib/runtime/variables";
import { DEFAULT_RETENTION_DAYS } from "@/lib/settings/retention-days";
import { LOGO_TYPES, MAX_TRY_OUT_DELAY_CANDLES, RETAINED_KINDS, type RetainedKind } from "@/lib/vocabulary";
import { brandPreviewLines } from "./brand-preview";
import { CAUTION_WORDS, nearestCaution } from "./caution";
import {
  checkboxField,
  choiceField,
  colourField,
  daysListField,
  decimalField,
  emailField,
  lineField,
  logoField,
  namesField,
  percentField,
  type SettingField,
  webAddressField,
  wholeNumberField,
} from "./fields";
import { logoInSettingsFile } from "./logo";
import { RETENTION_WORDS } from "./retention-words";
import {
  completeSetting,
  defineSetting,
  type Setting,
  type SettingEntry,
  type SettingsPage,
  type ValueOf,
} from "./setting";
import { isTrainable, isTrainingDue, readTrainingOverrides, trainingPlanOf } from "./training-plan";

// The cast below restores the names, which Object.fromEntries loses.
const RETENTION_FIELDS = Object.fromEntries(
  RETAINED_KINDS.map((kind) => [
    kind,
    wholeNumberField({
      label: RETENTION_WORDS[kind].what,
      min: 0,
      max: 36_500,
      byDefault: DEFAULT_RETENTION_DAYS[kind],
    }),
  ]),
) as Record<RetainedKind, SettingField<number>>;

const daysWords = (days: number) => (days === 0 ? "forever" : countWithNoun(days, "day"));

/** Parses `what=days` pairs separated by commas; null if one is invalid. */
function readRetention(text: string): Partial<Record<RetainedKind, number>> | null {
  const days: Partial<Record<RetainedKind, number>> = {};
  for (const part of text.split(",")) {
    const [, what, number] = /^\s*([a-z-]+)=([0-9]{1,5})\s*$/.exec(part) ?? [];
    const kind = RETAINED_KINDS.find((known) => known === what);
    if (kind === undefined) return null;
    days[kind] = Number(number);
  }
  return days;
}

/**
 * Every setting that is a single value. To add a setting, add an entry: its form, preview, audit row, role, export
 * and import are derived from it, and `settingInForce` reads its value.
 */
const ENTRIES = {
  end_notice: defineSetting({
    page: "access",
    address: "notice-days",
    form: "settings.notice_days",
    title: "End of access",
    lead: "Subscribers are mailed this many days before their access ends. The portal shows it from the first of these days.",
    fields: {
      days: daysListField({ label: "Days before", max: 6, upTo: 60, byDefault: [7, 3, 1], wide: true }),
    },
    async preview(handle, { before, after }) {
      const [longest = 0] = after.days;
      return [
        `Subscribers are mailed ${after.days.join(", ")} days before the end of their access, instead of ${before.days.join(", ")}.`,
        `${subscribers(await countKeysEndingWithin(handle, longest))} now within ${countWithNoun(longest, "day")} of the end. Each gets one mail on each of these days that is still ahead.`,
      ];
    },
  }),

  downtime_credit: defineSetting({
    page: "access",
    address: "access/credit",
    form: "settings.downtime_credit",
    title: "Downtime credits",
    lead: "Once a month, market time without fresh signals is added to the access of paying subscribers.",
    fields: {
      thresholdMinutes: wholeNumberField({
        label: "Free minutes per month",
        hint: "If there is more downtime, all of it is credited.",
        min: 0,
        max: 44_640,
        byDefault: 60,
      }),
      share: percentField({
        label: "Share of slots late",
        hint: "In % of the plan's slots whose market is open.",
        min: 1,
        max: 100,
        byDefault: 0.5,
      }),
      previewHours: wholeNumberField({
        label: "Hours before a credit is given",
        hint: "Until then each credit can be declined.",
        min: 0,
        max: 720,
        byDefault: 24,
      }),
      enabled: checkboxField({ label: "Give downtime credits", byDefault: true }),
    },
    async preview(handle, { after: { enabled, thresholdMinutes, share, previewHours } }) {
      if (!enabled)
        return [
          "No more downtime credits are proposed. Those already proposed are given unless you decline them.",
        ];
      const pct = `${Number((share * 100).toFixed(6))} %`;
      return [
        `After each month, ${subscribers(await countKeysWithEnd(handle), "with an end of access")} checked. Each gets the time in which ${pct} of the plan's slots had no fresh signal, if it was more than ${countWithNoun(thresholdMinutes, "minute")}.`,
        `A proposed credit is given after ${countWithNoun(previewHours, "hour")}. This applies from the current month; credits already proposed do not change.`,
      ];
    },
  }),

  try_out: defineSetting({
    page: "access",
    address: "access/try-out",
    form: "settings.try_out",
    isHeld: true,
    title: "Try-out keys",
    lead: "Visitors can request a free key on the home page, once per address. The key has the lowest shown plan for trading clients and gets signals late.",
    fields: {
      delayCandles: wholeNumberField({
        label: "Delay in candles",
        hint: "Counted in the signal's timeframe.",
        min: 1,
        max: MAX_TRY_OUT_DELAY_CANDLES,
        byDefault: 3,
      }),
      days: wholeNumberField({ label: "Days that a key is valid", min: 1, max: 90, byDefault: 14 }),
      enabled: checkboxField({ label: "Offer try-out keys", byDefault: false }),
    },
    preview(_handle, { after: { enabled, delayCandles, days } }) {
      return [
        enabled
          ? `Every e-mail address can get one key, valid for ${countWithNoun(days, "day")}, that gets each signal ${countWithNoun(delayCandles, "candle")} late. After a payment the same key gets signals at once.`
          : "The home page offers no try-out. Mailed links stop working.",
        "Existing try-out keys do not change.",
      ];
    },
  }),

  unmapped_product: defineSetting({
    page: "access",
    address: "access/unmapped",
    form: "settings.unmapped_product",
    title: "Unknown products",
    lead: "The plan of an unknown product is read from its name, and the payment is flagged for review. It buys:",
    fields: {
      days: wholeNumberField({ label: "Days", min: 1, max: 3660, byDefault: 31 }),
      graceDays: wholeNumberField({ label: "Days of grace", min: 0, max: 366, byDefault: 3 }),
    },
    async preview(handle, { before, after }) {
      const { unmapped } = await countRecentPaymentDeliveries(handle, []);
      return [
        `A payment for an unknown product buys ${countWithNoun(after.days, "day")} with ${countWithNoun(after.graceDays, "day")} of grace, instead of ${before.days} with ${before.graceDays}, from the next delivery on.`,
        `${countWithNoun(unmapped, "delivery", "deliveries")} of the last 30 days ${unmapped === 1 ? "was" : "were"} for such a product.`,
      ];
    },
  }),

  payment_events: defineSetting({
    page: "access",
    address: "access/events",
    form: "settings.payment_events",
    title: "Events of the generic platform",
    lead: "Names of further events that your platform sends. Those of the other platforms are known.",
    fields: {
      failed: namesField({
        label: "A payment failed",
        hint: "One name a line.",
        max: 100,
        byDefault: [
          "payment.invoice_payment_failed",
          "payment.invoice_failed",
          "payment.payment_failed",
          "payment.failed",
        ],
      }),
      chargebackWon: namesField({
        label: "A chargeback was won",
        hint: "One name a line.",
        max: 100,
        byDefault: [
          "payment.invoice_chargeback_won",
          "payment.chargeback_won",
          "payment.invoice_chargeback_reversed",
          "payment.chargeback_reversed",
        ],
      }),
      failureGraceDays: wholeNumberField({
        label: "Days of grace after a failed payment",
        hint: "For unknown products. A known product has its own.",
        min: 0,
        max: 90,
        byDefault: 3,
      }),
    },
    problem({ failed, chargebackWon }) {
      const both = chargebackWon.find((name) => failed.includes(name));
      return both === undefined
        ? null
        : { property: "chargebackWon", text: `must not name ${both}: that is a failed payment` };
    },
    async preview(handle, { before, after: { failed, chargebackWon, failureGraceDays } }) {
      const { named } = await countRecentPaymentDeliveries(handle, [...failed, ...chargebackWon]);
      const namesOf = (list: readonly string[]) => list.join(", ") || "nothing";
      return [
        `A failed payment is called ${namesOf(failed)}; a chargeback that was won ${namesOf(chargebackWon)}. ${countWithNoun(named, "delivery", "deliveries")} of the last 30 days had one of these names. Other platforms are not affected.`,
        `After a failed payment for an unknown product a key lasts at least ${countWithNoun(failureGraceDays, "day")} more, instead of ${before.failureGraceDays}.`,
      ];
    },
  }),

  payment_tests: defineSetting({
    page: "access",
    address: "access/tests",
    form: "settings.payment_tests",
    title: "Test events of the platforms",
    lead: "Stripe's test mode, Paddle's simulator, Lemon Squeezy's test mode and Gumroad's test purchases are answered and shown as tests. Paddle's and Whop's sandboxes sign with separate secrets.",
    fields: { giveAccess: checkboxField({ label: "Test events give access", byDefault: false }) },
    async preview(_handle, { after: { giveAccess } }) {
      return [
        giveAccess
          ? "From the next delivery on, anyone who can make a test purchase gets a working key. Use it only to try things out."
          : "From the next delivery on, test events give no access. Keys that they gave keep working.",
      ];
    },
  }),

  health: defineSetting({
    page: "thresholds",
    address: "thresholds/health",
    form: "thresholds.health",
    row: "health_thresholds",
    audit: { action: "health.change", target: "setting/health_thresholds" },
    file: { path: ["slotSettings", "health"], imported: ["thresholds", "health"] },
    title: "Late and down",
    lead: "T is the shortest timeframe that has an active model. Minutes are those of an open market.",
    asks: "Preview",
    columns: 4,
    fields: {
      degradedLagMinutes: wholeNumberField({
        label: "Degraded: minutes beyond T",
        hint: "Age of the newest signal or candle.",
        min: 0,
        max: 100_000,
        byDefault: DEFAULT_HEALTH_THRESHOLDS.degradedLagMinutes,
      }),
      degradedStaleShare: percentField({
        label: "Degraded: stale slots",
        hint: "More than this share of the active slots, in %.",
        min: 0,
        max: 100,
        byDefault: DEFAULT_HEALTH_THRESHOLDS.degradedStaleShare,
      }),
      downLagFactor: decimalField({
        label: "Down: multiple of T",
        hint: "Age of the newest signal.",
        min: 0,
        max: 1_000,
        byDefault: DEFAULT_HEALTH_THRESHOLDS.downLagFactor,
      }),
      downLagMinutes: wholeNumberField({
        label: "Down: minutes added",
        hint: "Added to the multiple of T.",
        min: 0,
        max: 100_000,
        byDefault: DEFAULT_HEALTH_THRESHOLDS.downLagMinutes,
      }),
    },
    async preview(handle, { before, after }) {
      const states = await listSlotStates(handle);
      const now = new Date();
      const was = assessSlots(states, now, before);
      const would = assessSlots(states, now, after);
      const reasons = would.reasons.map(({ text }) => text).join("; ");
      return [
        was.status === would.status
          ? `With its ${countWithNoun(would.totalActiveSlots, "active slot")} the service is ${would.status} now, and would stay ${would.status}.`
          : `With its ${countWithNoun(would.totalActiveSlots, "active slot")} the service would be ${would.status} now instead of ${was.status}${reasons === "" ? "" : `: ${reasons}`}.`,
        `${would.stalePredCount} of them are stale now. /api/health uses these limits too.`,
      ];
    },
  }),

  training: defineSetting({
    page: "thresholds",
    address: "thresholds/training",
    form: "thresholds.training",
    audit: { action: "training.change", target: "setting/training" },
    file: { path: ["slotSettings", "training"], imported: ["thresholds", "training"] },
    title: "Training",
    lead: "Slots are trained one after the other, in the background.",
    columns: 4,
    fields: {
      everyHours: wholeNumberField({
        label: "Hours between two trainings",
        hint: "168 is a week.",
        min: 1,
        max: 8_784,
        byDefault: 168,
      }),
      afterMinutes: wholeNumberField({
        label: "Minutes before the first training",
        hint: "Time for a feed to load history.",
        min: 0,
        max: 100_000,
        byDefault: 1,
      }),
      minCandles: wholeNumberField({
        label: "Minimum candles",
        hint: `${MIN_TRAINING_CANDLES} or more.`,
        min: MIN_TRAINING_CANDLES,
        max: 1_000_000,
        byDefault: MIN_TRAINING_CANDLES,
      }),
      enabled: checkboxField({ label: "Train models", byDefault: true }),
    },
    async preview(handle, { before, after }) {
      const [fewer, more, slots] = await Promise.all([
        listTrainingStates(handle, before.minCandles),
        listTrainingStates(handle, after.minCandles),
        readTrainingOverrides(handle),
      ]);
      const now = new Date();
      const due = more.filter((slot) => isTrainingDue(slot, trainingPlanOf(after, slot, slots), now)).length;
      const wasDue = fewer.filter((slot) =>
        isTrainingDue(slot, trainingPlanOf(before, slot, slots), now),
      ).length;
      const own = [...slots.values()].filter(
        ({ isTrained, trainEveryHours }) => (isTrained ?? trainEveryHours) !== null,
      ).length;
      return [
        ...(own > 0
          ? [
              `${own} ${own === 1 ? "slot has its" : "slots have their"} own schedule, which takes precedence.`,
            ]
          : []),
        after.enabled
          ? `${more.filter(isTrainable).length} slots would be trained every ${after.everyHours} hours.`
          : "No slot would be trained any more. Each keeps its present model.",
        `${due} ${due === 1 ? "is" : "are"} due at once, instead of ${wasDue}. They are trained one after the other.`,
      ];
    },
  }),

  built_in_models: defineSetting({
    page: "thresholds",
    address: "thresholds/built-in",
    form: "thresholds.built_in",
    title: "Built-in models",
    lead: "The baseline and the models that are trained here. Switch them off to sell the signals of your own models alone.",
    fields: { enabled: checkboxField({ label: "Use the built-in models", byDefault: true }) },
    async preview(handle, { after: { enabled } }) {
      const { serving, unserved } = await countBuiltInChampions(handle);
      return [
        enabled
          ? `${countWithNoun(unserved, "slot")} without a model ${unserved === 1 ? "gets its" : "get their"} newest built-in model again. Slots kept for own models stay as they are.`
          : `${countWithNoun(serving, "slot")} served by a built-in model ${serving === 1 ? "has" : "have"} no model from now on, until you promote one of your own. No model is trained.`,
        "Delivered signals do not change.",
      ];
    },
    async apply(tx, { enabled }) {
      await lockModels(tx);
      const changed = await (enabled ? reinstateBuiltInChampions(tx) : demoteBuiltInChampions(tx));
      if (changed > 0) await bumpModelsVersion(tx);
    },
  }),

  baseline: defineSetting({
    page: "thresholds",
    address: "thresholds/baseline",
    form: "thresholds.baseline",
    title: "Baseline",
    lead: "The baseline serves a slot until a trained model is better. The more careful it is, the fewer signals have a direction.",
    fields: {
      caution: choiceField({ label: "Caution", options: CAUTION_WORDS, byDefault: "usual", wide: true }),
    },
    upgrade: (stored) => ("caution" in stored ? stored : { caution: nearestCaution(stored) }),
    async preview(handle) {
      const served = (await listSignalProductionStates(handle)).filter(
        ({ modelV }) => modelV === BASELINE_VERSION,
      );
      return [
        `${countWithNoun(served.length, "slot")} ${served.length === 1 ? "is" : "are"} served by the baseline. This applies from their next candle; delivered signals do not change.`,
        "The model keeps its name, so its figures from now on cover both settings.",
      ];
    },
  }),

  backups: defineSetting({
    page: "service",
    address: "service/backups",
    form: "settings.backups",
    isHeld: true,
    carried: { BACKUP_EVERY_HOURS: "everyHours", BACKUP_KEEP: "keep" },
    title: "Backups",
    lead: "The worker takes them if BACKUP_PASSPHRASE is set, and tests each by restoring it.",
    fields: {
      everyHours: wholeNumberField({
        label: "Hours between two backups",
        hint: "0: only by command.",
        min: 0,
        max: 720,
        byDefault: 24,
      }),
      keep: wholeNumberField({
        label: "Backups to keep",
        hint: "Older ones are deleted.",
        min: 1,
        max: 1_000,
        byDefault: 14,
      }),
    },
    preview(_handle, { before, after: { everyHours, keep } }) {
      return [
        everyHours === 0
          ? "Backups are taken by command only."
          : `A backup is taken every ${countWithNoun(everyHours, "hour")}.`,
        keep < before.keep
          ? `After the next backup the newest ${keep} are kept. Older ones are deleted.`
          : `The newest ${keep} are kept.`,
      ];
    },
  }),

  public_record: defineSetting({
    page: "service",
    address: "service/record",
    form: "settings.public_record",
    isHeld: true,
    carried: {
      PUBLIC_RECORD: (text) => (text === "on" || text === "off" ? { isShown: text === "on" } : null),
      PUBLIC_CANDLES: "candles",
    },
    title: "Public record",
    lead: "Pages, downloads and the ledger that anyone can check. Signals are entered into the ledger either way.",
    fields: {
      isShown: checkboxField({ label: "Show the public record", byDefault: true }),
      candles: choiceField({
        label: "Candles for checking outcomes",
        options: {
          feeds: "as set for each feed on the page Feeds",
          on: "shown for all feeds",
          off: "not shown",
        },
        byDefault: "feeds",
      }),
    },
    preview(_handle, { after: { isShown, candles } }) {
      return [
        isShown
          ? "Anyone can see the record and download the ledger."
          : "The record, its ledger and their downloads are switched off.",
        {
          feeds: "Anyone can download the candles of the feeds that publish them on the page Feeds.",
          on: "Anyone can download the candles of every feed. Check that each licence allows it.",
          off: "Candles are not published, so nobody else can recompute the outcomes.",
        }[candles],
      ];
    },
  }),

  telegram_updates: defineSetting({
    page: "service",
    address: "service/telegram",
    form: "settings.telegram_updates",
    isHeld: true,
    carried: { TELEGRAM_MODE: "mode" },
    title: "Messages to the Telegram bot",
    lead: "How the bot receives what people write to it.",
    fields: {
      mode: choiceField({
        label: "Method",
        options: {
          polling: "polling: the service asks Telegram, which works behind any router",
          webhook: "webhook: Telegram sends to /webhooks/telegram",
        },
        byDefault: "polling",
        wide: true,
      }),
    },
    problem({ mode }) {
      const { baseUrl, telegramApiRoot } = env();
      // The operator's own Bot API server can also deliver to plain HTTP addresses.
      const isReachable = baseUrl.startsWith("https:") || telegramApiRoot !== DEFAULT_API_ROOTS.telegram;
      return mode === "polling" || isReachable
        ? null
        : { property: "mode", text: "webhook needs a BASE_URL with https, to which Telegram can send" };
    },
    preview: (_handle, { after: { mode } }) => [
      mode === "polling"
        ? "The worker asks Telegram for messages. The webhook is removed."
        : `The webhook is set to ${env().baseUrl}/webhooks/telegram.`,
    ],
  }),

  retention: defineSetting({
    page: "service",
    address: "service/retention",
    form: "settings.retention",
    isHeld: true,
    carried: { RETENTION: readRetention },
    title: "Retention",
    lead: "Days for which each kind of data is kept; 0 keeps it forever. A job deletes older data every hour.",
    columns: 4,
    fields: RETENTION_FIELDS,
    preview(_handle, { before, after }) {
      return RETAINED_KINDS.filter((kind) => before[kind] !== after[kind]).map((kind) => {
        const [was, will] = [before[kind], after[kind]];
        const isShorter = will !== 0 && (was === 0 || will < was);
        return `${RETENTION_WORDS[kind].what}: ${daysWords(will)} instead of ${daysWords(was)}.${isShorter ? " Older data is deleted within the hour. This cannot be undone." : ""}`;
      });
    },
  }),

  brand: defineSetting({
    page: "brand",
    address: "brand/save",
    form: "brand.save",
    isHeld: true,
    carried: { SHOP_URL: "shopUrl" },
    audit: { action: "brand.change", target: "brand" },
    file: { path: ["brand"], imported: ["brand", "service"] },
    title: "Name, colours and addresses",
    lead: "Empty fields use the installation's default.",
    footer:
      "Each colour is checked for contrast on every background it is used on, and refused if it cannot be read there.",
    fields: {
      name: lineField({ label: "Name", placeholder: () => brandOf(NO_BRAND).name, wide: true }, 60),
      accentLight: colourField({ label: "Colour on a light background", placeholder: DEFAULT_ACCENT.light }),
      accentDark: colourField({ label: "Colour on a dark background", placeholder: DEFAULT_ACCENT.dark }),
      senderName: lineField({ label: "Name of the sender", placeholder: () => brandOf(NO_BRAND).name }, 60),
      senderAddress: emailField({
        label: "Address of the sender",
        hint: () => `Blank: ${brandOf(NO_BRAND).mailFrom}.`,
      }),
      supportAddress: emailField({
        label: "Support address",
        hint: "Shown in mails, on the security page and in the texts.",
      }),
      shopUrl: webAddressField({ label: "Shop", placeholder: "https://", hint: "Where plans are bought." }),
      logo: logoField({ label: "Show the logo" }),
    },
    problem({ accentLight, accentDark }) {
      const light = accentLight && accentProblem("light", accentLight);
      if (light) return { property: "accentLight", text: light };
      const dark = accentDark && accentProblem("dark", accentDark);
      return dark ? { property: "accentDark", text: dark } : null;
    },
    async missing(tx, { logo }) {
      const picture = logo && (await findPicture(tx, logo.hash));
      return logo && picture?.mediaType !== logo.mediaType
        ? { property: "logo", text: "must be an uploaded logo" }
        : null;
    },
    preview: (_, { before, after }) => brandPreviewLines(before, after),
    inFile: {
      async write(handle, value) {
        const picture = value.logo && (await findPicture(handle, value.logo.hash));
        return { ...value, logo: picture && { mediaType: picture.mediaType, content: picture.content } };
      },
      read({ logo: sent, ...entry }) {
        if (sent === undefined) return { entry };
        if (sent === null) return { entry: { ...entry, logo: null } };
        const picture = logoInSettingsFile(sent);
        if (picture === null)
          return {
            entry,
            problem: { property: "logo", text: `must be a picture of type ${LOGO_TYPES.join(" or ")}` },
          };
        const { hash, mediaType } = picture;
        return { entry: { ...entry, logo: { hash, mediaType } }, store: (tx) => writePicture(tx, picture) };
      },
    },
  }),
};

type Entries = typeof ENTRIES;
export type SettingName = keyof Entries;
/** The value type of each setting. */
export type SettingValues = { [K in SettingName]: ValueOf<Entries[K]["fields"]> };

type Registry = { [K in SettingName]: Setting<Entries[K]["fields"]> };

/** Every setting by its name. */
export const SETTINGS_BY_NAME = Object.fromEntries(
  Object.entries<SettingEntry>(ENTRIES).map(([name, entry]) => [name, completeSetting(name, entry)]),
) as Registry;

/** Every setting, in the order of the registry. */
export const SETTINGS: readonly Setting[] = Object.values(SETTINGS_BY_NAME);

/** The current value of a setting. */
export async function settingInForce<N extends SettingName>(
  handle: DatabaseHandle,
  name: N,
): Promise<SettingValues[N]> {
  const entry: { row: string; read(stored: unknown): unknown } = SETTINGS_BY_NAME[name];
  return entry.read(await readSetting<unknown>(handle, entry.row)) as SettingValues[N];
}

/** The current values of all settings, or those of a page, in the order of the registry. */
export async function readSettings(
  handle: DatabaseHandle,
  page?: SettingsPage,
): Promise<{ entry: Setting; value: Record<string, unknown> }[]> {
  const wanted = SETTINGS.filter((entry) => page === undefined || entry.page === page);
  const rows = await readSettingRows(
    handle,
    wanted.map(({ row }) => row),
  );
  return wanted.map((entry) => ({ entry, value: entry.read(rows.get(entry.row)) }));
}

const subscribers = (n: number, which = "") =>
  `${countWithNoun(n, "subscriber")}${which && ` ${which}`} ${n === 1 ? "is" : "are"}`;
