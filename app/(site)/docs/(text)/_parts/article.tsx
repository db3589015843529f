import { ArrowLeft, ArrowRight } from "lucide-react";
import { Children, isValidElement, type ReactNode } from "react";
import { Link } from "@/app/_components/link";
import { PageHeader } from "@/app/_components/page-header";
import { type DocsPage, paths } from "@/lib/paths";
import { neighbours } from "./contents";

/** A page with fewer sections needs no list of them. */
const LISTED_FROM = 3;

/** The frame of one page of the documentation: its sections listed, and where to read on. */
export function Article({
  page,
  title,
  lead,
  children,
}: {
  /** Its place in the contents; none for the first page. */
  page?: DocsPage;
  title: string;
  lead: ReactNode;
  children: ReactNode;
}) {
  const sections = sectionsOf(children);
  const { previous, next } = neighbours(paths.docs(page));
  return (
    <div className="gap-12 xl:grid xl:grid-cols-[1fr_11rem]">
      <article className="min-w-0">
        <PageHeader title={title} lead={lead} />
        <div className="prose">{children}</div>
        <nav
          aria-label="Read on"
          className="mt-16 flex max-w-[68ch] flex-wrap justify-between gap-4 border-t pt-6"
        >
          {previous ? (
            <Link
              href={previous.href}
              className="inline-flex min-h-11 items-center gap-2 text-sm text-muted hover:text-ink"
            >
              <ArrowLeft aria-hidden="true" className="size-4" />
              {previous.label}
            </Link>
          ) : (
            <span />
          )}
          {next && (
            <Link
              href={next.href}
              className="inline-flex min-h-11 items-center gap-2 text-sm text-muted hover:text-ink"
            >
              {next.label}
              <ArrowRight aria-hidden="true" className="size-4" />
            </Link>
          )}
        </nav>
      </article>
      {sections.length >= LISTED_FROM && (
        <nav aria-label="On this page" className="hidden xl:block">
          <div className="sticky top-28">
            <h2 className="text-xs font-medium tracking-normal text-faint">On this page</h2>
            <ul className="mt-1.5">
              {sections.map(({ id, text }) => (
                <li key={id}>
                  <a href={`#${id}`} className="flex min-h-8 items-center text-sm text-muted hover:text-ink">
                    {text}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        </nav>
      )}
    </div>
  );
}

/** The headings of a page that an address can name. */
function sectionsOf(children: ReactNode): { id: string; text: string }[] {
  return Children.toArray(children).flatMap((child) => {
    if (!isValidElement<{ id?: string; children?: ReactNode }>(child) || child.type !== "h2") return [];
    const { id, children: text } = child.props;
    return id && typeof text === "string" ? [{ id, text }] : [];
  });
}
