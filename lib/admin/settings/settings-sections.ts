import { z } from "zod";
import type { Database, Handle } from "@/db/client";
import {
  addTextVersion,
  findPicture,
  listCalendarDays,
  listNewestTexts,
  writeCalendarDay,
  writePicture,
} from "@/db/queries/site";
import { listSlotSettings, writeSlotSetting } from "@/db/queries/slot-settings";
import { slotKey } from "@/db/queries/slots";
import { parseSymbol } from "@/lib/market/symbols";
import { BaselineDocument } from "@/lib/models/producer/baseline-settings";
import { TrainingPlan } from "@/lib/models/training/training-plan";
import { BrandSettings } from "@/lib/runtime/brand-settings";
import { DowntimeCredit, EndNotice, PaymentEvents, UnmappedProduct } from "@/lib/runtime/setting-documents";
import { CALENDAR_DAY_KINDS, CALENDARS, LOGO_TYPES, SITE_TEXTS, TIMEFRAMES } from "@/lib/vocabulary";
import { brandProblems, pictureOf, storedBrand, writeBrand } from "./change-brand";
import { dayProblem } from "./change-calendar-day";
import { type DocumentChange, documentProblem, readDocuments, writeDocument } from "./change-document";
import { readSlotSettings, type SlotSettingsChange, writeSlotSettings } from "./change-thresholds";
import { type Change, changesOf } from "./settings-changes";
import { MAX_TEXT, textProblem } from "./texts/change-text";

/** The settings of a file beside plans, products and symbols. Each may be left out, and then stays as it is. */

const line = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^\p{Cc}"\\<>]*$/u, 'must be one line without ", \\, < and >');

const BrandEntry = z.strictObject({
  ...BrandSettings.shape,
  name: line.nullable(),
  senderName: line.nullable(),
  senderAddress: z.email().nullable(),
  supportAddress: z.email().nullable(),
  shopUrl: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .nullable(),
  logo: z.strictObject({ mediaType: z.enum(LOGO_TYPES), content: z.base64().max(90_000) }).nullable(),
});

const TextEntry = z.strictObject({
  name: z.enum(SITE_TEXTS),
  content: z.string().trim().min(1).max(MAX_TEXT),
});

const DayEntry = z.strictObject({
  calendar: z.enum(CALENDARS),
  day: z.iso.date(),
  kind: z.enum(CALENDAR_DAY_KINDS),
  closesAt: z
    .string()
    .regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/)
    .nullable(),
  note: z.string().max(120).nullable(),
});

const figure = z.number().min(0);

export const SiteSections = z.strictObject({
  brand: BrandEntry.optional(),
  texts: z.array(TextEntry).optional(),
  calendarDays: z.array(DayEntry).optional(),
  slots: z
    .array(
      z.strictObject({
        symbol: z.string().refine((code) => parseSymbol(code) === code, "must be a symbol in capitals"),
        timeframe: z.enum(TIMEFRAMES),
        graceMinutes: z.int().min(0).max(10_080).nullable(),
        isTrained: z.boolean().nullable(),
        trainEveryHours: z.int().min(1).max(8_784).nullable(),
      }),
    )
    .optional(),
  documents: z
    .strictObject({
      end_notice: EndNotice,
      downtime_credit: DowntimeCredit,
      payment_events: PaymentEvents,
      unmapped_product: UnmappedProduct,
      baseline: BaselineDocument,
    })
    .partial()
    .optional(),
  slotSettings: z
    .strictObject({
      health: z.strictObject({
        downLagFactor: figure,
        downLagMinutes: figure,
        degradedLagMinutes: figure,
        degradedStaleShare: figure.max(1),
      }),
      training: z.strictObject(TrainingPlan.shape),
    })
    .optional(),
});
type SiteSections = z.output<typeof SiteSections>;

/** These settings as they are stored. */
export async function exportSections(database: Database): Promise<SiteSections> {
  const [brand, texts, calendarDays, slotSettings, slots, documents] = await Promise.all([
    storedBrand(database),
    listNewestTexts(database),
    listCalendarDays(database),
    readSlotSettings(database),
    listSlotSettings(database),
    readDocuments(database),
  ]);
  const picture = brand.logo && (await findPicture(database, brand.logo.hash));
  return {
    brand: { ...brand, logo: picture && { mediaType: picture.mediaType, content: picture.content } },
    texts: texts.map(({ name, content }) => ({ name, content })),
    calendarDays,
    slots,
    documents,
    slotSettings,
  };
}

const logoOf = (logo: z.output<typeof BrandEntry>["logo"]) =>
  logo && pictureOf(Buffer.from(logo.content, "base64"));

/** What is wrong with these settings of a file, a line each. */
export function sectionProblems(file: SiteSections): string[] {
  const { brand, texts = [], calendarDays = [], slots = [] } = file;
  const dayKeys = calendarDays.map(({ calendar, day }) => `${calendar} ${day}`);
  return [
    ...(brand ? brandProblems({ ...brand, logo: null }) : []).map(
      ({ field, text }) => `brand: ${field === "accent_light" ? "accentLight" : "accentDark"} ${text}`,
    ),
    ...(brand?.logo && logoOf(brand.logo)?.mediaType !== brand.logo.mediaType
      ? [`brand: logo is no ${brand.logo.mediaType}`]
      : []),
    ...repeated(texts.map(({ name }) => name)).map((name) => `texts: ${name} stands there twice`),
    ...texts.flatMap(({ name, content }) => {
      const problem = textProblem(content);
      return problem === null ? [] : [`texts: ${name} ${problem}`];
    }),
    ...repeated(slots.map(slotKey)).map((name) => `slots: ${name} stands there twice`),
    ...documentsOf(file).flatMap((change) => {
      const problem = documentProblem(change);
      return problem === null ? [] : [`documents: ${change.of} ${problem.field} ${problem.text}`];
    }),
    ...repeated(dayKeys).map((key) => `calendarDays: ${key} stands there twice`),
    ...calendarDays.flatMap((said) => {
      const { calendar, day, kind, closesAt } = said;
      const at = `calendarDays: ${calendar} ${day}`;
      if ((kind === "early") !== (closesAt !== null)) return [`${at} says when it closes if it closes early`];
      const problem = dayProblem(said);
      return problem === null ? [] : [`${at} ${problem.field === "day" ? "" : "closesAt "}${problem.text}`];
    }),
  ];
}

/** What of them differs from what is stored. */
export async function sectionChanges(tx: Handle, file: SiteSections): Promise<Change[]> {
  const [brand, texts, days, slotSettings, slots, documents] = await Promise.all([
    storedBrand(tx),
    listNewestTexts(tx),
    listCalendarDays(tx),
    readSlotSettings(tx),
    listSlotSettings(tx),
    readDocuments(tx),
  ]);
  const picture = logoOf(file.brand?.logo ?? null);
  const brands = file.brand
    ? [{ ...file.brand, logo: picture && { hash: picture.hash, mediaType: picture.mediaType } }]
    : [];
  const dayKey = ({ calendar, day }: { calendar: string; day: string }) => `${calendar}/${day}`;
  const groups: SlotSettingsChange[] = file.slotSettings
    ? [
        { of: "health", after: file.slotSettings.health },
        { of: "training", after: file.slotSettings.training },
      ]
    : [];
  return [
    ...changesOf(
      "brand",
      brands,
      () => "service",
      new Map([["service", brand]]),
      async (handle, after) => {
        if (picture) await writePicture(handle, picture);
        await writeBrand(handle, after);
      },
    ),
    ...changesOf(
      "text",
      file.texts ?? [],
      ({ name }) => name,
      new Map(texts.map(({ name, content }) => [name, { name, content }])),
      (handle, { name, content }) => addTextVersion(handle, name, content),
    ),
    ...changesOf(
      "calendar",
      file.calendarDays ?? [],
      dayKey,
      new Map(days.map((day) => [dayKey(day), day])),
      writeCalendarDay,
    ),
    ...changesOf(
      "slot",
      file.slots ?? [],
      slotKey,
      new Map(slots.map((slot) => [slotKey(slot), slot])),
      writeSlotSetting,
    ),
    ...changesOf<DocumentChange>(
      "setting",
      documentsOf(file),
      ({ of }) => of,
      new Map(documentsOf({ documents }).map((document) => [document.of, document])),
      writeDocument,
    ),
    ...changesOf<SlotSettingsChange>(
      "thresholds",
      groups,
      ({ of }) => of,
      new Map<string, SlotSettingsChange>([
        ["health", { of: "health", after: slotSettings.health }],
        ["training", { of: "training", after: slotSettings.training }],
      ]),
      writeSlotSettings,
    ),
  ];
}

/** The documents that a file names, each as a change. */
function documentsOf({ documents: named = {} }: SiteSections): DocumentChange[] {
  const { end_notice, downtime_credit, payment_events, unmapped_product, baseline } = named;
  return [
    ...(end_notice ? [{ of: "end_notice", after: end_notice } as const] : []),
    ...(downtime_credit ? [{ of: "downtime_credit", after: downtime_credit } as const] : []),
    ...(payment_events ? [{ of: "payment_events", after: payment_events } as const] : []),
    ...(unmapped_product ? [{ of: "unmapped_product", after: unmapped_product } as const] : []),
    ...(baseline ? [{ of: "baseline", after: baseline } as const] : []),
  ];
}

const repeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, i) => names.indexOf(name) !== i)),
];
