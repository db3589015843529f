import { Check, Copy } from "lucide-react";
import { buttonClass } from "@/app/_components/button";
import { classNames } from "@/app/_components/class-names";
import { paths } from "@/lib/paths";

/** Copies this page as Markdown for an AI assistant; without JavaScript it is a link to the Markdown. */
export function CopyAsMarkdownButton({ name }: { name: string }) {
  return (
    <a
      href={paths.docsMarkdown(name)}
      data-copy-from={paths.docsMarkdown(name)}
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
