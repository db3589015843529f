import type { Token } from "marked";
import { codeBlockInfo, type DocsToken } from "./tokens";

/** A block of a documentation page in plain Markdown. `id` is its fragment. */
export type DocsBlock =
  | { kind: "heading"; level: number; id: string | null; text: string }
  | { kind: "text"; id: string | null; text: string }
  | { kind: "code"; name: string; code: string };

/** The Markdown source of tokens. */
export const markdownSourceOf = (tokens: readonly Token[]): string => tokens.map(({ raw }) => raw).join("");
const text = (raw: string, id: string | null = null): DocsBlock => ({ kind: "text", id, text: raw.trim() });

/** The blocks of a page as text, for the search and the Markdown version. */
export function blocksOf(tokens: readonly Token[]): DocsBlock[] {
  return tokens.flatMap((given): DocsBlock[] => {
    // Standard Markdown tokens keep their source text, except `space`.
    const token = given as DocsToken | { type: "space" | "other"; raw: string };
    switch (token.type) {
      case "space":
        return [];
      case "section":
        return [{ kind: "heading", level: token.depth, id: token.id, text: token.text }];
      case "code":
        return [{ kind: "code", name: codeBlockInfo(token).name, code: token.text }];
      case "entries":
        return token.items.map(({ id, word, meanings }) =>
          text(`**${markdownSourceOf(word)}**: ${meanings.map(markdownSourceOf).join(" ")}`, id),
        );
      case "captioned":
        return [text(token.table.raw)];
      case "container":
        return [
          ...(token.name === "warning" || token.name === "details" ? [text(`**${token.label}**`)] : []),
          ...blocksOf(token.tokens),
        ];
      default:
        return [text(token.raw)];
    }
  });
}
