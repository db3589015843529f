import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { boolean, columns, type Row, text, textArray } from "./columns";
import { readSetting, writeSetting } from "./settings";

const FACTS = columns({
  /** An owner has signed in as a person. */
  hasOwner: boolean(
    "exists (select 1 from administrators where role = 'owner' and removed_at is null and accepted_at is not null)",
  ),
  /** An owner has chosen alerts. */
  hasAlerts: boolean("exists (select 1 from alert_choices where cardinality(topics) > 0)"),
  /** Transport of the newest sent mail. */
  mailLeftBy: text<string | null>(
    "(select transport from mail_outbox where status = 'sent' order by created_at desc limit 1)",
  ),
  /** Texts with a version by the operator. */
  texts: textArray("array(select distinct name from site_texts)"),
  /** Payment platforms with a delivery whose signature was valid. */
  platforms: textArray("array(select distinct adapter from payment_deliveries)"),
});
export type SetupFacts = Row<typeof FACTS>;

/** Progress of an installation's setup. */
export async function readSetupFacts(handle: Handle): Promise<SetupFacts> {
  return FACTS.one(handle, sql`select ${FACTS.list}`);
}

/** Whether an owner has signed in as a person, so that the secret is no longer needed for signing in. */
export async function hasOwner(handle: Handle): Promise<boolean> {
  const [row] = await handle.execute<{ found: boolean }>(sql`
    select exists (select 1 from administrators
                    where role = 'owner' and removed_at is null and accepted_at is not null) as found`);
  return row?.found ?? false;
}

const HIDDEN = "setup_hidden";

/** Whether an owner has hidden the checklist on the overview. */
export async function isSetupHidden(handle: Handle): Promise<boolean> {
  return (await readSetting<boolean>(handle, HIDDEN)) ?? false;
}

/** Hides the checklist on the overview, or shows it again. */
export async function hideSetup(handle: Handle, isHidden: boolean): Promise<void> {
  await writeSetting(handle, HIDDEN, isHidden);
}
