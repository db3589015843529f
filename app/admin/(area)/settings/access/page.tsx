import type { Metadata } from "next";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { SettingForms } from "@/app/admin/(area)/settings/_components/setting-forms";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Access and payments" };

/** Expiry notices, downtime credits, unmapped products. */
export default async function AccessSettings() {
  const session = await requireAdminSession(adminPaths.settingsPage("access"));
  const flash = await consumeFlash(db(), session.sessionId);
  return (
    <>
      <SettingsHeader
        title="Access and payments"
        lead="Expiry notices, downtime credits and rules for unknown products."
      />
      <FlashNotice flash={flash} />
      <div className="max-w-4xl space-y-6">
        <SettingForms page="access" flash={flash} />
      </div>
    </>
  );
}
