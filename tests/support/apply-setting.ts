import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import type { HeldSetting } from "@/db/queries/operated";
import { writeSetting } from "@/db/queries/settings";
import { operated } from "@/lib/runtime/operated";
import { REGISTRY, type Settings } from "@/lib/settings/registry";

/** Applies a setting, with defaults for missing fields; null: as if never stored. */
export async function applySetting<N extends HeldSetting>(
  name: N,
  value: Partial<Settings[N]> | null,
): Promise<void> {
  if (value === null) await db().execute(sql`delete from settings where name = ${name}`);
  else await writeSetting(db(), name, { ...REGISTRY[name].byDefault, ...value });
  await operated().readAgain();
}
