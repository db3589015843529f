import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { dayOverrides, pictures, siteTexts, textAcceptances } from "@/db/schema";
import type { CalendarName, LogoType, SiteTextName } from "@/lib/vocabulary";
import type { SiteTextVersion } from "./cached-settings";

export interface Picture {
  hash: string;
  mediaType: LogoType;
  /** Base64. */
  content: string;
}

const PICTURE = { hash: pictures.hash, mediaType: pictures.mediaType, content: pictures.content };

export async function findPicture(handle: DatabaseHandle, hash: string): Promise<Picture | null> {
  const [row] = await handle.select(PICTURE).from(pictures).where(eq(pictures.hash, hash));
  return row ?? null;
}

/** Stores a picture, unless one with the same bytes exists. */
export async function writePicture(tx: Transaction, picture: Picture): Promise<void> {
  await tx.insert(pictures).values(picture).onConflictDoNothing();
}

/** A version of one of the operator's texts, such as the terms, with its content. */
export interface SiteText extends Omit<SiteTextVersion, "isAsked"> {
  content: string;
  createdAt: Date;
}

const TEXT = {
  id: siteTexts.id,
  name: siteTexts.name,
  version: siteTexts.version,
  content: siteTexts.content,
  createdAt: siteTexts.createdAt,
};

export async function findSiteText(handle: DatabaseHandle, id: number): Promise<SiteText | null> {
  const [row] = await handle.select(TEXT).from(siteTexts).where(eq(siteTexts.id, id));
  return row ?? null;
}

/** The newest 100 versions of a text, newest first. */
export async function listTextVersions(handle: DatabaseHandle, name: SiteTextName): Promise<SiteText[]> {
  return handle
    .select(TEXT)
    .from(siteTexts)
    .where(eq(siteTexts.name, name))
    .orderBy(desc(siteTexts.version))
    .limit(100);
}

/** The newest version of each text that the operator has stored. */
export async function listNewestTexts(handle: DatabaseHandle): Promise<SiteText[]> {
  return handle
    .selectDistinctOn([siteTexts.name], TEXT)
    .from(siteTexts)
    .orderBy(asc(siteTexts.name), desc(siteTexts.version));
}

/** Locks the table of texts against writes until commit, so that two new versions do not get the same number. */
export async function lockSiteTexts(tx: Transaction): Promise<void> {
  await tx.execute(sql`lock table site_texts in share row exclusive mode`);
}

/** Stores a new version of a text; returns the number of the version. */
export async function addTextVersion(tx: Transaction, name: SiteTextName, content: string): Promise<number> {
  await lockSiteTexts(tx);
  const [row] = await tx
    .insert(siteTexts)
    .values({
      name,
      content,
      version: sql`(select coalesce(max(version), 0) + 1 from site_texts where name = ${name})`,
    })
    .returning({ version: siteTexts.version });
  if (!row) throw new Error("a text was not stored");
  return row.version;
}

/** Those of these text versions that a person has accepted. */
export async function listAcceptedSiteTextIds(
  handle: DatabaseHandle,
  userId: string,
  textIds: readonly number[],
): Promise<number[]> {
  const rows = await handle
    .select({ textId: textAcceptances.textId })
    .from(textAcceptances)
    .where(and(eq(textAcceptances.userId, userId), inArray(textAcceptances.textId, [...textIds])));
  return rows.map(({ textId }) => textId);
}

/** Records which text versions a person accepted. Returns those that were not recorded before. */
export async function recordAcceptedSiteTexts(
  tx: Transaction,
  userId: string,
  textIds: readonly number[],
): Promise<number[]> {
  const rows = await tx
    .insert(textAcceptances)
    .values(textIds.map((textId) => ({ userId, textId })))
    .onConflictDoNothing()
    .returning({ textId: textAcceptances.textId });
  return rows.map(({ textId }) => textId);
}

/** Number of people who accepted each version of a text, by the version's id. */
export async function countTextAcceptances(
  handle: DatabaseHandle,
  name: SiteTextName,
): Promise<Map<number, number>> {
  const rows = await handle
    .select({ textId: textAcceptances.textId, n: sql<number>`count(*)::int` })
    .from(textAcceptances)
    .innerJoin(siteTexts, eq(siteTexts.id, textAcceptances.textId))
    .where(eq(siteTexts.name, name))
    .groupBy(textAcceptances.textId);
  return new Map(rows.map(({ textId, n }) => [textId, n]));
}

/** The operator's override of a day in a trading calendar, with the reason. */
export type DayOverrideRow = Omit<typeof dayOverrides.$inferSelect, "createdAt">;
type DayId = Pick<DayOverrideRow, "calendar" | "day">;

const DAY = {
  calendar: dayOverrides.calendar,
  day: dayOverrides.day,
  kind: dayOverrides.kind,
  closesAt: dayOverrides.closesAt,
  note: dayOverrides.note,
};
const isDay = ({ calendar, day }: DayId) =>
  and(eq(dayOverrides.calendar, calendar), eq(dayOverrides.day, day));

/** The overridden days of one trading calendar, or of all. */
export async function listDayOverrides(
  handle: DatabaseHandle,
  calendar?: CalendarName,
): Promise<DayOverrideRow[]> {
  return handle
    .select(DAY)
    .from(dayOverrides)
    .where(calendar === undefined ? undefined : eq(dayOverrides.calendar, calendar))
    .orderBy(asc(dayOverrides.calendar), asc(dayOverrides.day));
}

/** The override of a day in a trading calendar, locked until commit; null: none. */
export async function lockDayOverride(tx: Transaction, id: DayId): Promise<DayOverrideRow | null> {
  const [row] = await tx.select(DAY).from(dayOverrides).where(isDay(id)).for("update");
  return row ?? null;
}

export async function writeDayOverride(tx: Transaction, row: DayOverrideRow): Promise<void> {
  const { calendar: _, day: __, ...set } = row;
  await tx
    .insert(dayOverrides)
    .values(row)
    .onConflictDoUpdate({ target: [dayOverrides.calendar, dayOverrides.day], set });
}

export async function deleteDayOverride(tx: Transaction, id: DayId): Promise<void> {
  await tx.delete(dayOverrides).where(isDay(id));
}
