import { connection } from "next/server";
import { Markdown } from "@/app/_components/markdown";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { formatDay } from "@/app/_components/times";
import { currentText } from "@/lib/admin/settings/texts/current-text";
import { TEXT_TITLES } from "@/lib/admin/settings/texts/templates";
import type { SiteTextName } from "@/lib/vocabulary";

/** A page with a text of the operator, or a note that it was not written yet. */
export async function SiteTextPage({ name }: { name: SiteTextName }) {
  await connection();
  const { content, version } = await currentText(name);
  return (
    <div className="mx-auto max-w-6xl px-4 py-12 sm:px-6 lg:py-16">
      <PageHeader
        title={TEXT_TITLES[name]}
        lead={version ? `Version ${version.number}, in force since ${formatDay(version.at)}.` : undefined}
      />
      {version === null && (
        <div className="mb-8 max-w-[68ch]">
          <Notice tone="warn" title="A template">
            The operator of this service has not written this text yet.
          </Notice>
        </div>
      )}
      <div className="prose">
        <Markdown text={content} />
      </div>
    </div>
  );
}
