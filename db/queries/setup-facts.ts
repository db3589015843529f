import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { columns, flag, type Row, text, texts } from "./columns";
import { readSetting, writeSetting } from "./settings";

const FACTS = columns({
  /** An owner who has signed in as a person. */
  hasOwner: flag(
    "exists (select 1 from administrators where role = 'owner' and removed_at is null and accepted_at is not null)",
  ),
  /** An owner chose to be told of something. */
  hasAlerts: flag("exists (select 1 from alert_choices where cardinality(topics) > 0)"),
  /** What the newest mail that went out left by. */
  mailLeftBy: text<string | null>(
    "(select transport from mail_outbox where status = 'sent' order by created_at desc limit 1)",
  ),
  /** The texts that have a version of the operator's own. */
  texts: texts("array(select distinct name from site_texts)"),
  /** Payment platforms that delivered something whose signature held. */
  platforms: texts("array(select distinct adapter from payment_deliveries)"),
});
export type SetupFacts = Row<typeof FACTS>;

/** What the data says of the first steps of an installation. */
export async function readSetupFacts(handle: Handle): Promise<SetupFacts> {
  return FACTS.one(handle, sql`select ${FACTS.list}`);
}

/** Whether an owner has signed in as a person, so that the secret is no longer the way in. */
export async function hasOwner(handle: Handle): Promise<boolean> {
  const [row] = await handle.execute<{ found: boolean }>(sql`
    select exists (select 1 from administrators
                    where role = 'owner' and removed_at is null and accepted_at is not null) as found`);
  return row?.found ?? false;
}

const HIDDEN = "setup_hidden";

/** Whether an owner has taken the checklist off the overview. */
export async function isSetupHidden(handle: Handle): Promise<boolean> {
  return (await readSetting<boolean>(handle, HIDDEN)) ?? false;
}

/** Takes the checklist off the overview, or puts it back. */
export async function hideSetup(handle: Handle, isHidden: boolean): Promise<void> {
  await writeSetting(handle, HIDDEN, isHidden);
}
