import { asc, eq, isNotNull, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { calendars } from "@/db/schema";
import type { StoredCalendar } from "./cached-settings";

const OWN = {
  name: calendars.name,
  title: calendars.title,
  // Typed as not null: a CHECK of the table ensures that an operator's calendar has both.
  timeZone: sql<string>`${calendars.timeZone}`,
  hours: sql<string[]>`${calendars.hours}`,
  holidays: calendars.holidays,
};

/** Every calendar with its title, the built-in ones first. */
export async function listCalendarNames(handle: DatabaseHandle): Promise<{ name: string; title: string }[]> {
  return handle
    .select({ name: calendars.name, title: calendars.title })
    .from(calendars)
    .orderBy(sql`time_zone is not null`, asc(calendars.createdAt), asc(calendars.name));
}

/** The calendars that operators defined. */
export async function listOperatorCalendars(handle: DatabaseHandle): Promise<StoredCalendar[]> {
  return handle.select(OWN).from(calendars).where(isNotNull(calendars.timeZone)).orderBy(asc(calendars.name));
}

/** A calendar that an operator defined, locked until commit; null: none of this name. */
export async function lockOperatorCalendar(tx: Transaction, name: string): Promise<StoredCalendar | null> {
  const [row] = await tx
    .select(OWN)
    .from(calendars)
    .where(sql`${calendars.name} = ${name} and ${calendars.timeZone} is not null`)
    .for("update");
  return row ?? null;
}

/** Inserts or replaces a calendar that an operator defined. */
export async function writeOperatorCalendar(tx: Transaction, row: StoredCalendar): Promise<void> {
  const { name: _, ...set } = row;
  await tx.insert(calendars).values(row).onConflictDoUpdate({ target: calendars.name, set });
}

/** Deletes a calendar with its overridden days. Fails by a foreign key if a symbol uses it. */
export async function deleteOperatorCalendar(tx: Transaction, name: string): Promise<void> {
  await tx.delete(calendars).where(eq(calendars.name, name));
}
