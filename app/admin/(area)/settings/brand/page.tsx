import type { Metadata } from "next";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FileInput } from "@/app/admin/_components/file-input";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { SettingForms } from "@/app/admin/(area)/settings/_components/setting-forms";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Brand" };

/** Name, colours, logo and mail sender of the service. */
export default async function BrandPage() {
  const session = await requireAdminSession(adminPaths.settingsPage("brand"));
  const flash = await consumeFlash(db(), session.sessionId);
  const logoErrors = formState(flash, "brand.logo").errors;
  return (
    <>
      <SettingsHeader
        title="Brand"
        lead="Name, logo and colours on the site, in the portal, in this area, in mails and in the API description."
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <SettingForms page="brand" flash={flash} />
        <ActionForm needs="brand.logo" action={adminPaths.sendLogo()} encType="multipart/form-data">
          <Card
            title="Logo"
            lead="A PNG or WebP picture of at most 64 kB. It is shown 24 pixels high next to the name."
          >
            <div className="flex flex-wrap items-end gap-4">
              <FileInput label="Picture" name="logo" accept="image/png,image/webp" error={logoErrors.logo} />
              <Button type="submit">Upload and preview</Button>
            </div>
          </Card>
        </ActionForm>
      </div>
    </>
  );
}
