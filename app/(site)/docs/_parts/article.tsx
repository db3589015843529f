import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { classNames } from "@/app/_components/class-names";
import { MarkdownTokens } from "@/app/_components/markdown";
import { PageHeader } from "@/app/_components/page-header";
import { findDocsPage } from "@/app/(site)/docs/_text/files";
import { readDocsText } from "@/app/(site)/docs/_text/pages";
import { headingsOf } from "@/app/(site)/docs/_text/tokens";
import { CopyAsMarkdownButton } from "./copy-as-markdown-button";
import { PreviousNextPages } from "./previous-next-pages";
import { renderToken } from "./render-token";

/** Minimum number of sections for a table of contents. */
const LISTED_FROM = 3;

/** Title and description of a page for its `<head>`. */
export function docsMetadata(name: string): Metadata {
  const found = findDocsPage(name);
  return found === null ? {} : { title: found.entry.title, description: found.entry.description };
}

/** A documentation page: its text, its table of contents, and links to the pages before and after. */
export function Article({ name }: { name: string }) {
  const text = readDocsText(name);
  if (text === null) notFound();
  const { entry, lead, tokens } = text;
  const isWide = entry.wide !== undefined;
  const sections = headingsOf(tokens);
  const isListed = sections.length >= LISTED_FROM;
  return (
    <div className={isWide ? undefined : "gap-12 xl:grid xl:grid-cols-[1fr_11rem]"}>
      <article className="min-w-0">
        <PageHeader
          title={entry.title}
          lead={<MarkdownTokens tokens={lead} render={renderToken} />}
          actions={<CopyAsMarkdownButton name={name} />}
        />
        {isWide && isListed && (
          <nav aria-label="On this page" className="-mt-4 mb-8">
            <ul className="flex flex-wrap gap-x-5">
              <Sections sections={sections} />
            </ul>
          </nav>
        )}
        <div className={classNames("prose", isWide && "prose-wide")}>
          <MarkdownTokens tokens={tokens} render={renderToken} />
        </div>
        <PreviousNextPages href={entry.href} />
      </article>
      {!isWide && isListed && (
        <nav aria-label="On this page" className="hidden xl:block">
          <div className="sticky top-28">
            <h2 className="text-xs font-medium tracking-normal text-faint">On this page</h2>
            <ul className="mt-1.5">
              <Sections sections={sections} />
            </ul>
          </div>
        </nav>
      )}
    </div>
  );
}

function Sections({ sections }: { sections: readonly { id: string; text: string }[] }) {
  return sections.map(({ id, text }) => (
    <li key={id}>
      <a href={`#${id}`} className="flex min-h-8 items-center text-sm text-muted hover:text-ink">
        {text}
      </a>
    </li>
  ));
}
