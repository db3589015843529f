import { Children, isValidElement, type ReactNode } from "react";
import { classNames } from "@/app/_components/class-names";
import { PageHeader } from "@/app/_components/page-header";
import { type DocsPage, paths } from "@/lib/paths";
import { AsMarkdown } from "./as-markdown";
import { ReadOn } from "./read-on";

/** A page with fewer sections needs no list of them. */
const LISTED_FROM = 3;

/** The frame of one page of the documentation: its sections listed, and where to read on. */
export function Article({
  page,
  title,
  lead,
  wide = false,
  children,
}: {
  /** Its place in the contents; none for the first page. */
  page?: DocsPage;
  title: string;
  lead: ReactNode;
  /** Answers stand beside their requests, and the list of sections over the text. */
  wide?: boolean;
  children: ReactNode;
}) {
  const sections = sectionsOf(children);
  const isListed = sections.length >= LISTED_FROM;
  return (
    <div className={wide ? undefined : "gap-12 xl:grid xl:grid-cols-[1fr_11rem]"}>
      <article className="min-w-0">
        <PageHeader title={title} lead={lead} actions={<AsMarkdown page={page} />} />
        {wide && isListed && (
          <nav aria-label="On this page" className="-mt-4 mb-8">
            <ul className="flex flex-wrap gap-x-5">
              <Sections sections={sections} />
            </ul>
          </nav>
        )}
        <div className={classNames("prose", wide && "prose-wide")}>{children}</div>
        <ReadOn href={paths.docs(page)} />
      </article>
      {!wide && isListed && (
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

/** The headings of a page that an address can name. */
function sectionsOf(children: ReactNode): { id: string; text: string }[] {
  return Children.toArray(children).flatMap((child) => {
    if (!isValidElement<{ id?: string; children?: ReactNode }>(child) || child.type !== "h2") return [];
    const { id, children: text } = child.props;
    return id && typeof text === "string" ? [{ id, text }] : [];
  });
}
