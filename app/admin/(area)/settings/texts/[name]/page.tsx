import type { Metadata } from "next";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { countWithNoun } from "@/app/_components/figures";
import { TextArea } from "@/app/_components/form/text-area";
import { Markdown } from "@/app/_components/markdown";
import { Timestamp } from "@/app/_components/timestamp";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { MissingPage } from "@/app/admin/_components/missing-page";
import { FormVersionField } from "@/app/admin/(area)/settings/_components/form-version";
import { PreviewNotice } from "@/app/admin/(area)/settings/_components/preview-notice";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { countTextAcceptances, listTextVersions } from "@/db/queries/site";
import { MAX_SITE_TEXT_LENGTH, requiresAcceptance } from "@/lib/admin/settings/texts/change-text";
import { fillPlaceholders, PLACEHOLDERS, templateOf } from "@/lib/admin/settings/texts/current-text";
import { TEXT_TITLES } from "@/lib/admin/settings/texts/templates";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { SITE_TEXTS } from "@/lib/vocabulary";
import type { SearchParams } from "@/lib/wire/query-filter";

export async function generateMetadata({ params }: { params: Promise<{ name: string }> }): Promise<Metadata> {
  const { name } = await params;
  const known = SITE_TEXTS.find((text) => text === name);
  return { title: known === undefined ? "Not found" : `${TEXT_TITLES[known]} · Text` };
}

const SAVE = "text.save";

/** A text of the site: the form for its next version, a preview, and the former versions. */
export default async function TextPage({
  params,
  searchParams,
}: {
  params: Promise<{ name: string }>;
  searchParams: SearchParams;
}) {
  const { name: given } = await params;
  const session = await requireAdminSession(adminPaths.text(given));
  const name = SITE_TEXTS.find((known) => known === given);
  if (name === undefined) return <MissingPage />;
  const { version: wanted } = await searchParams;
  const [flash, versions, accepted] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    listTextVersions(db(), name),
    countTextAcceptances(db(), name),
  ]);
  const form = formState(flash, SAVE);
  const shown = versions.find(({ version }) => String(version) === wanted) ?? versions[0];
  const content = (form.returned ? form.values.content : shown?.content) ?? templateOf(name);
  return (
    <>
      <SettingsHeader
        title={TEXT_TITLES[name]}
        lead={
          versions.length === 0
            ? "This is a template, and the site marks it as one until you store your own version."
            : "Storing makes a new version. Former versions stay."
        }
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <ActionForm
          needs="text.save"
          action={adminPaths.saveText(name)}
          encType="multipart/form-data"
          className="space-y-6"
        >
          <PreviewNotice flash={flash} form={SAVE} />
          <FormVersionField form={form} stored={versions[0]?.version ?? 0} />
          <Card title="Text" lead="Markdown. HTML is shown as typed.">
            <TextArea
              name="content"
              label="Content"
              rows={18}
              required
              maxLength={MAX_SITE_TEXT_LENGTH}
              defaultValue={content}
              error={form.errors.content}
              hint={`${PLACEHOLDERS.map((known) => `{{${known}}}`).join(", ")} are filled from the brand.`}
            />
            <div className="mt-5">
              <Button type="submit">Preview</Button>
            </div>
          </Card>
        </ActionForm>
        <Card title="Preview">
          <div className="prose">
            <Markdown text={fillPlaceholders(content)} />
          </div>
        </Card>
        {versions.length > 0 && (
          <Card title="Versions">
            <ul className="space-y-1 text-sm">
              {versions.map(({ id, version, createdAt }) => (
                <li key={id} className="flex flex-wrap gap-x-4">
                  <a href={adminPaths.text(name, { version })} className="link">
                    Version {version}
                  </a>
                  <span className="text-muted">
                    <Timestamp at={createdAt} />
                    {requiresAcceptance(name) &&
                      `, accepted by ${countWithNoun(accepted.get(id) ?? 0, "person", "people")}`}
                  </span>
                </li>
              ))}
            </ul>
          </Card>
        )}
      </div>
    </>
  );
}
