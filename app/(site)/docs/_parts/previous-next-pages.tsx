import { ArrowLeft, ArrowRight } from "lucide-react";
import { listDocs } from "@/app/(site)/docs/_text/files";

/** The pages before and after this one. */
export function PreviousNextPages({ href }: { href: string }) {
  const pages = listDocs();
  const at = pages.findIndex((page) => page.href === href);
  const [previous, next] = [pages[at - 1], pages[at + 1]];
  const linkClass = "inline-flex min-h-11 items-center gap-2 text-sm text-muted hover:text-ink";
  return (
    <nav
      aria-label="Read on"
      className="mt-16 flex max-w-[68ch] flex-wrap justify-between gap-4 border-t pt-6"
    >
      {previous ? (
        <a href={previous.href} className={linkClass}>
          <ArrowLeft aria-hidden="true" className="size-4" />
          {previous.label}
        </a>
      ) : (
        <span />
      )}
      {next && (
        <a href={next.href} className={linkClass}>
          {next.label}
          <ArrowRight aria-hidden="true" className="size-4" />
        </a>
      )}
    </nav>
  );
}
