import type { Token } from "marked";
import { type DocsToken, infoOf } from "./tokens";

/** A piece of a docs page in plain Markdown. `id`: an address can name it. */
export type Block =
  | { kind: "heading"; level: number; id: string | null; text: string }
  | { kind: "text"; id: string | null; text: string }
  | { kind: "code"; name: string; code: string };

/** Tokens as they are written. */
export const rawOf = (tokens: readonly Token[]): string => tokens.map(({ raw }) => raw).join("");
const text = (raw: string, id: string | null = null): Block => ({ kind: "text", id, text: raw.trim() });

/** The blocks of a page for those that read it as text: the search, and programs. */
export function blocksOf(tokens: readonly Token[]): Block[] {
  return tokens.flatMap((given): Block[] => {
    // Of Markdown's own kinds these alone are written in another way than they stand.
    const token = given as DocsToken | { type: "space" | "other"; raw: string };
    switch (token.type) {
      case "space":
        return [];
      case "section":
        return [{ kind: "heading", level: token.depth, id: token.id, text: token.text }];
      case "code":
        return [{ kind: "code", name: infoOf(token).name, code: token.text }];
      case "entries":
        return token.items.map(({ id, word, meanings }) =>
          text(`**${rawOf(word)}**: ${meanings.map(rawOf).join(" ")}`, id),
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
