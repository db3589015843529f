import { Download } from "lucide-react";
import type { Metadata } from "next";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { countWithNoun } from "@/app/_components/figures";
import { ActionForm, ActionLink, findActionDenialReason } from "@/app/admin/_components/action-controls";
import { FileInput } from "@/app/admin/_components/file-input";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Export and import" };

/** Export and import of all settings as one file. */
export default async function Transfer() {
  const session = await requireAdminSession(adminPaths.transfer());
  const flash = await consumeFlash(db(), session.sessionId);
  const form = formState(flash, "settings.import");
  const exportRefusal = await findActionDenialReason("settings.export");
  return (
    <>
      <SettingsHeader
        title="Export and import"
        lead="Every setting as one JSON file: plans, products, symbols, brand, texts, calendars and thresholds. It holds no secrets and no subscribers."
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        {flash?.kind === "import" && (
          <Card
            title={`Preview: ${countWithNoun(flash.lines.length, "change")}`}
            lead="Nothing is stored yet. Settings that the file does not name stay."
          >
            <ul className="divide-y border-y text-sm">
              {flash.lines.map((line) => (
                <li key={line} className="py-2 break-words">
                  {line}
                </li>
              ))}
            </ul>
            <ActionForm
              needs="settings.import"
              action={adminPaths.transferForm("import")}
              encType="multipart/form-data"
              className="mt-4 flex flex-wrap gap-2"
            >
              <textarea name="content" hidden readOnly value={flash.content} />
              <input type="hidden" name="cut_off" value={String(flash.cutsOff)} />
              <Button type="submit" variant="primary">
                Import {countWithNoun(flash.lines.length, "change")}
              </Button>
              <LinkButton href={adminPaths.transfer()}>Cancel</LinkButton>
            </ActionForm>
          </Card>
        )}
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Card
            title="Export"
            lead="Keep the file before larger changes, or take it to another installation."
          >
            <ActionLink needs="settings.export" href={adminPaths.settingsFile()} download>
              <Download aria-hidden="true" />
              Export settings
            </ActionLink>
            {exportRefusal && <p className="text-sm text-muted">{exportRefusal}</p>}
          </Card>
          <Card title="Import" lead="The preview shows every change before anything is stored.">
            <ActionForm
              needs="settings.import"
              action={adminPaths.transferForm("preview")}
              encType="multipart/form-data"
              className="space-y-5"
            >
              <FileInput
                label="Settings file"
                name="file"
                accept=".json"
                error={form.errors.file}
                hint="JSON, at most 512 kB."
              />
              <label className="flex items-start gap-2 text-sm">
                <input type="checkbox" name="cut_off" value="true" className="mt-0.5 size-4" />
                Allow plans that would leave subscribers without any slot
              </label>
              <Button type="submit">Preview import</Button>
            </ActionForm>
          </Card>
        </div>
      </div>
    </>
  );
}
