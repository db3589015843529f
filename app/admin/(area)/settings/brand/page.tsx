import type { Metadata } from "next";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Checkbox } from "@/app/_components/form/checkbox";
import { Field } from "@/app/_components/form/field";
import { TextInput } from "@/app/_components/form/text-input";
import { ActionForm } from "@/app/admin/_components/allowed";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { FormVersion } from "@/app/admin/(area)/settings/_components/form-version";
import { PreviewNotice } from "@/app/admin/(area)/settings/_components/preview-notice";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { brandValues } from "@/app/admin/(area)/settings/brand/_components/brand-values";
import { db } from "@/db/client";
import { storedBrand } from "@/lib/admin/settings/change-brand";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { brandOf, DEFAULT_ACCENT } from "@/lib/runtime/brand";
import { NO_BRAND } from "@/lib/runtime/brand-settings";

export const metadata: Metadata = { title: "Brand" };

const SAVE = "brand.save";

/** What the service is called, how it looks, and who its mails come from. */
export default async function BrandPage() {
  const session = await requireAdminSession(adminPaths.brand());
  const [flash, stored] = await Promise.all([consumeFlash(db(), session.sessionId), storedBrand(db())]);
  const form = formState(flash, SAVE);
  const logoErrors = formState(flash, "brand.logo").errors;
  const values = form.returned ? form.values : brandValues(stored);
  const field = (name: string) => ({ name, defaultValue: values[name], error: form.errors[name] });
  const without = brandOf(NO_BRAND);
  return (
    <>
      <SettingsHeader
        title="Brand"
        lead="What the service is called and how it looks: on the site, in the portal and here, in mails, in the feed and in the description of the interface."
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <ActionForm needs="brand.save" action={adminPaths.saveBrand()} className="space-y-6">
          <PreviewNotice flash={flash} form={SAVE} />
          <FormVersion form={form} stored={stored} />
          <Card
            title="Name, colours and addresses"
            lead="What is left empty stays as the installation has it."
            footer="Colours are held against every ground that text in them stands on; one that cannot be read is refused with its contrast."
          >
            <div className="grid gap-5 sm:grid-cols-2">
              <TextInput
                {...field("name")}
                label="Name"
                maxLength={60}
                placeholder={without.name}
                className="sm:col-span-2"
              />
              <TextInput
                {...field("accent_light")}
                label="Colour on light ground"
                placeholder={DEFAULT_ACCENT.light}
                maxLength={7}
                spellCheck={false}
              />
              <TextInput
                {...field("accent_dark")}
                label="Colour on dark ground"
                placeholder={DEFAULT_ACCENT.dark}
                maxLength={7}
                spellCheck={false}
              />
              <TextInput
                {...field("sender_name")}
                label="Mails come from"
                maxLength={60}
                placeholder={without.name}
              />
              <TextInput
                {...field("sender_address")}
                label="Address of the sender"
                inputMode="email"
                autoCapitalize="none"
                hint={`Otherwise ${without.mailFrom}.`}
              />
              <TextInput
                {...field("support_address")}
                label="Address for help"
                inputMode="email"
                autoCapitalize="none"
                hint="Stands in mails, on the security page and in the texts."
              />
              <TextInput
                {...field("shop_url")}
                label="Shop"
                type="url"
                placeholder={without.shopUrl ?? "https://"}
                hint="Where plans are bought."
              />
              {values.logo && (
                <Checkbox
                  name="logo"
                  value={values.logo}
                  defaultChecked
                  label={
                    <span className="inline-flex items-center gap-3">
                      Show the logo
                      {/* biome-ignore lint/performance/noImgElement: there is no image optimiser here */}
                      <img src={`/brand/${values.logo}`} alt="The logo" className="h-8 w-auto" />
                    </span>
                  }
                />
              )}
            </div>
            <div className="mt-5">
              <Button type="submit">Show what it would do</Button>
            </div>
          </Card>
        </ActionForm>
        <ActionForm needs="brand.logo" action={adminPaths.sendLogo()} encType="multipart/form-data">
          <Card
            title="Logo"
            lead="A PNG or WebP picture of at most 64 kB. It is shown 24 pixels high beside the name."
          >
            <div className="flex flex-wrap items-end gap-4">
              <Field label="Picture" error={logoErrors.logo}>
                {(wiring) => (
                  <input
                    {...wiring}
                    type="file"
                    name="logo"
                    accept="image/png,image/webp"
                    required
                    className="text-sm"
                  />
                )}
              </Field>
              <Button type="submit">Send it and look</Button>
            </div>
          </Card>
        </ActionForm>
      </div>
    </>
  );
}
