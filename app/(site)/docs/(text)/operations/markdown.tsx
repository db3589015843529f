import type { ReactNode } from "react";
import { CodeBlock } from "@/app/_components/code-block";
import { Facts } from "@/app/(site)/docs/(text)/_parts/facts";
import { type Block, parseMarkdown, parseSpans } from "./parse-markdown";

/** A document of docs/operations as it stands. `hrefOf` gives a link's address on the site; null: it has none. */
export function Markdown({ text, hrefOf }: { text: string; hrefOf: (to: string) => string | null }) {
  const say = (line: string) => <Spans line={line} hrefOf={hrefOf} />;
  return parseMarkdown(text).map((block, index) => (
    // The blocks of a text that does not change.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <MarkdownBlock key={index} block={block} say={say} />
  ));
}

function MarkdownBlock({ block, say }: { block: Block; say: (line: string) => ReactNode }) {
  switch (block.kind) {
    case "heading":
      return <h2 id={block.id}>{say(block.text)}</h2>;
    case "paragraph":
      return <p>{say(block.text)}</p>;
    case "list":
      return (
        <ul>
          {block.items.map((item) => (
            <li key={item}>{say(item)}</li>
          ))}
        </ul>
      );
    case "code":
      return <CodeBlock name={block.language === "sh" ? "Shell" : block.language} code={block.code} />;
    case "table": {
      const [first = "", second = "", ...more] = block.headers.map((header) => header.replaceAll("`", ""));
      return (
        <Facts
          caption={block.headers.join(", ").replaceAll("`", "")}
          headers={[first, second, ...more]}
          mono={block.rows.every(([name]) => /^`[^`]+`$/.test(name ?? ""))}
          rows={block.rows.map(([name = "", meaning = "", ...others]) => [
            name.replaceAll("`", ""),
            say(meaning),
            ...others.map(say),
          ])}
        />
      );
    }
  }
}

function Spans({ line, hrefOf }: { line: string; hrefOf: (to: string) => string | null }) {
  return parseSpans(line).map((span, index) => {
    const key = index;
    if (span.kind === "code") return <code key={key}>{span.text}</code>;
    if (span.kind === "strong") return <strong key={key}>{span.text}</strong>;
    const href = span.kind === "link" ? hrefOf(span.to) : null;
    if (href !== null)
      return (
        <a key={key} href={href}>
          {span.text}
        </a>
      );
    return span.text;
  });
}
