import type { Metadata } from "next";
import { Badge } from "@/app/_components/badge";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { UtcDay } from "@/app/_components/timestamp";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { listNewestTexts } from "@/db/queries/site";
import { requiresAcceptance } from "@/lib/admin/settings/texts/change-text";
import { TEXT_TITLES } from "@/lib/admin/settings/texts/templates";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { SITE_TEXTS, type SiteTextName } from "@/lib/vocabulary";

export const metadata: Metadata = { title: "Texts" };

interface Line {
  name: SiteTextName;
  newest: { version: number; createdAt: Date } | undefined;
}

/** The operator's texts, each with its newest version. */
export default async function Texts() {
  const session = await requireAdminSession(adminPaths.texts());
  const [flash, texts] = await Promise.all([consumeFlash(db(), session.sessionId), listNewestTexts(db())]);
  const rows = SITE_TEXTS.map((name) => ({ name, newest: texts.find((text) => text.name === name) }));
  return (
    <>
      <SettingsHeader
        title="Texts"
        lead="Legal texts of the site. Every version is kept, with who accepted it."
      />
      <FlashNotice flash={flash} />
      <Card flush>
        <DataTable caption="Texts" rows={rows} rowKey={({ name }) => name} columns={COLUMNS} />
      </Card>
    </>
  );
}

const COLUMNS: Column<Line>[] = [
  {
    key: "name",
    header: "Text",
    primary: true,
    cell: ({ name }) => (
      <a href={adminPaths.text(name)} className="link">
        {TEXT_TITLES[name]}
      </a>
    ),
  },
  {
    key: "version",
    header: "Version",
    cell: ({ newest }) => (newest ? newest.version : <Badge>template</Badge>),
  },
  { key: "since", header: "Since", cell: ({ newest }) => (newest ? <UtcDay at={newest.createdAt} /> : "–") },
  {
    key: "accepted",
    header: "Subscribers",
    cell: ({ name }) => (requiresAcceptance(name) ? "accept it before the portal" : "read it on the site"),
  },
];
