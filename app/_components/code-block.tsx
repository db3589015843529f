import { CopyButton } from "./copy-button";
import { ScrollRegion } from "./scroll-region";

/** Code with a copy button. `name` is the file or the language, and the region's name for screen readers. */
export function CodeBlock({ name, code }: { name: string; code: string }) {
  return (
    <figure className="overflow-hidden rounded-lg border bg-raised">
      <figcaption className="flex h-11 items-center justify-between gap-3 border-b bg-sunken/50 pr-1.5 pl-4 text-sm text-muted">
        <span className="truncate">{name}</span>
        <CopyButton text={code} what={name} />
      </figcaption>
      <ScrollRegion label={name}>
        <pre className="px-4 py-4 font-mono text-[0.8125rem] leading-6">
          <code>{code}</code>
        </pre>
      </ScrollRegion>
    </figure>
  );
}
