import { Check, Copy } from "lucide-react";
import { buttonClass } from "@/app/_components/button";
import { classNames } from "@/app/_components/class-names";
import { type DocsPage, paths } from "@/lib/paths";

/** Copies this page as Markdown, for a program that reads it; without a script it opens that text. */
export function AsMarkdown({ page }: { page: DocsPage | undefined }) {
  return (
    <a
      href={paths.docsMarkdown(page)}
      data-copy-from={paths.docsMarkdown(page)}
      className={classNames(buttonClass("secondary", "small"), "group/copy")}
    >
      <Copy aria-hidden="true" className="group-data-[copied=yes]/copy:hidden" />
      <Check aria-hidden="true" className="hidden group-data-[copied=yes]/copy:block" />
      <span aria-live="polite" data-copy-word="Copy as Markdown">
        Copy as Markdown
      </span>
    </a>
  );
}
