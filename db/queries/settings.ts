import { eq, inArray, sql } from "drizzle-orm";
import { ADVISORY_LOCKS } from "@/db/advisory-locks";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { settings } from "@/db/schema";

/** The stored value of a setting; null: never stored. The caller states its type `T`, which is not checked. */
export async function readSetting<T>(handle: DatabaseHandle, name: string): Promise<T | null> {
  const [row] = await handle.select({ value: settings.value }).from(settings).where(eq(settings.name, name));
  return row ? (row.value as T) : null;
}

/** The stored values of several settings, by name; settings that were never stored are missing. */
export async function readSettingRows(
  handle: DatabaseHandle,
  names: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const rows = await handle
    .select({ name: settings.name, value: settings.value })
    .from(settings)
    .where(inArray(settings.name, [...names]));
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Takes the lock under which settings are changed, until commit. */
export async function lockSettings(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.settings})`);
}

/** Stores or replaces the value of a setting. */
export async function writeSetting(handle: DatabaseHandle, name: string, value: unknown): Promise<void> {
  await handle
    .insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: settings.name, set: { value, updatedAt: sql`now()` } });
}

/** Deletes settings, which then have their default values. */
export async function deleteSettings(handle: DatabaseHandle, names: readonly string[]): Promise<void> {
  await handle.delete(settings).where(inArray(settings.name, [...names]));
}
