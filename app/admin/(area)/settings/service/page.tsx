import type { Metadata } from "next";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { SettingForms } from "@/app/admin/(area)/settings/_components/setting-forms";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Service" };

/** Backups, the public record, bot messages, retention. */
export default async function ServiceSettings() {
  const session = await requireAdminSession(adminPaths.settingsPage("service"));
  const flash = await consumeFlash(db(), session.sessionId);
  return (
    <>
      <SettingsHeader
        title="Service"
        lead="Backups, the public record, messages to the Telegram bot, and how long data is kept."
      />
      <FlashNotice flash={flash} />
      <div className="max-w-4xl space-y-6">
        <SettingForms page="service" flash={flash} />
      </div>
    </>
  );
}
