import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { boolean, columns, type Row, text, textArray } from "./columns";
import { readSetting, writeSetting } from "./settings";

/** SQL condition on an administrator: an owner who has accepted the invitation and was not removed. */
const IS_PRESENT_OWNER = "role = 'owner' and removed_at is null and accepted_at is not null";

const FACTS = columns({
  /** Whether an owner has accepted an invitation, and so can sign in without the administrator secret. */
  hasOwner: boolean(`exists (select 1 from administrators where ${IS_PRESENT_OWNER})`),
  /** Whether a present owner has chosen at least one alert topic. */
  hasAlerts: boolean(
    `exists (select 1 from alert_settings join administrators on id = administrator_id
              where cardinality(topics) > 0 and ${IS_PRESENT_OWNER})`,
  ),
  /** Name of the transport that sent the newest sent mail; null: no mail was sent. */
  mailLeftBy: text<string | null>(
    "(select transport from mail_outbox where status = 'sent' order by created_at desc limit 1)",
  ),
  /** Names of the texts of which the operator has stored a version. */
  texts: textArray("array(select distinct name from site_texts)"),
  /** Payment platforms from which a delivery with a valid signature was received. */
  platforms: textArray("array(select distinct adapter from payment_deliveries)"),
});
export type SetupProgress = Row<typeof FACTS>;

/** The facts from which the setup checklist shows what is done. */
export async function readSetupProgress(handle: DatabaseHandle): Promise<SetupProgress> {
  return FACTS.one(handle, sql`select ${FACTS.list}`);
}

/** Whether an owner has accepted an invitation, so that the administrator secret is not needed to sign in. */
export async function hasOwner(handle: DatabaseHandle): Promise<boolean> {
  const [row] = await handle.execute<{ found: boolean }>(sql`
    select exists (select 1 from administrators where ${sql.raw(IS_PRESENT_OWNER)}) as found`);
  return row?.found ?? false;
}

const HIDDEN = "setup_hidden";

/** Whether an owner has hidden the setup checklist on the overview. */
export async function isSetupHidden(handle: DatabaseHandle): Promise<boolean> {
  return (await readSetting<boolean>(handle, HIDDEN)) ?? false;
}

/** Hides the setup checklist on the overview, or shows it again. */
export async function setSetupHidden(handle: DatabaseHandle, isHidden: boolean): Promise<void> {
  await writeSetting(handle, HIDDEN, isHidden);
}
