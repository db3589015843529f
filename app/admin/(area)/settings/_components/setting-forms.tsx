import { db } from "@/db/client";
import type { Flash } from "@/lib/auth/flash";
import { readSettings } from "@/lib/settings/registry";
import type { SettingsPage } from "@/lib/settings/setting";
import { SettingForm } from "./setting-form";

/** The forms of all settings of a page. */
export async function SettingForms({ page, flash }: { page: SettingsPage; flash: Flash | null }) {
  const settings = await readSettings(db(), page);
  return settings.map(({ entry, value }) => (
    <SettingForm key={entry.name} entry={entry} stored={value} flash={flash} />
  ));
}
