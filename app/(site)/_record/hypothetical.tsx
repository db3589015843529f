import { Markdown } from "@/app/_components/markdown";
import { currentText } from "@/lib/admin/settings/texts/current-text";

/** The legal statement on hypothetical performance. */
export async function HypotheticalStatement() {
  const { content } = await currentText("hypothetical");
  return (
    <section
      id="hypothetical"
      aria-labelledby="hypothetical-title"
      className="scroll-mt-24 rounded-lg border bg-sunken px-4 py-4 sm:px-6"
    >
      <h2 id="hypothetical-title" className="text-base">
        Hypothetical performance
      </h2>
      <div className="mt-2 max-w-[80ch] space-y-2 text-sm text-muted">
        <Markdown text={content} />
      </div>
    </section>
  );
}

/** The short form next to figures, with a link to the whole statement. */
export function HypotheticalMark({ href = "#hypothetical" }: { href?: string }) {
  return (
    <a href={href} className="link">
      Hypothetical results
    </a>
  );
}
