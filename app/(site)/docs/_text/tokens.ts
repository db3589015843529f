import { Marked, type Token, type TokenizerThis, type Tokens } from "marked";
import { CODE_LANGUAGES } from "@/app/_components/code-tabs";

/**
 * `## Title {#id}`, from the second to the fourth level. A heading of the second or third level without an id gets one
 * from its words.
 */
export interface SectionToken {
  type: "section";
  raw: string;
  depth: number;
  id: string | null;
  text: string;
  tokens: Token[];
}

/** Definitions: `term {#id}`, then lines that begin with a colon. */
export interface DefinitionsToken {
  type: "entries";
  raw: string;
  items: { id: string | null; word: Token[]; meanings: Token[][] }[];
}

/** `Table: caption`, then a table. */
export interface CaptionedTableToken {
  type: "captioned";
  raw: string;
  caption: string;
  table: Tokens.Table;
}

/** `:::name[label]`, content, `:::`. An outer container has more colons than those inside. */
export interface ContainerToken {
  type: "container";
  raw: string;
  name: string;
  label: string;
  tokens: Token[];
}

/** The tokens that are rendered in a special way: the extensions of Markdown, and code, tables and links. */
export type DocsToken =
  | SectionToken
  | DefinitionsToken
  | CaptionedTableToken
  | ContainerToken
  | Tokens.Code
  | Tokens.Table
  | Tokens.Link;

/** The default id of a heading. */
const defaultIdOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");

const MEANING = String.raw`: [^\n]+(?:\n {2}[^\n]+)*(?:\n|$)`;
const ENTRY = String.raw`([^\n:#|][^\n]*?)(?: \{#([\w.-]+)\})?\n((?:${MEANING})+)\n*`;

function section(this: TokenizerThis, source: string): SectionToken | undefined {
  const [raw, marks = "", text = "", id] =
    /^(#{2,4}) ([^\n]+?)(?: \{#([\w.-]+)\})?(?:\n+|$)/.exec(source) ?? [];
  if (raw === undefined) return undefined;
  const depth = marks.length;
  return {
    type: "section",
    raw,
    depth,
    id: id ?? (depth <= 3 ? defaultIdOf(text) : null),
    text,
    tokens: this.lexer.inline(text, []),
  };
}

function entries(this: TokenizerThis, source: string): DefinitionsToken | undefined {
  const [raw] = new RegExp(`^(?:${ENTRY})+`).exec(source) ?? [];
  if (raw === undefined) return undefined;
  const items = [...raw.matchAll(new RegExp(ENTRY, "g"))].map(([, word = "", id, meanings = ""]) => ({
    id: id ?? null,
    word: this.lexer.inline(word, []),
    meanings: [...meanings.matchAll(new RegExp(MEANING, "g"))].map(([meaning]) =>
      this.lexer.inline(meaning.slice(2).trim(), []),
    ),
  }));
  return { type: "entries", raw, items };
}

function captioned(this: TokenizerThis, source: string): CaptionedTableToken | undefined {
  const [raw, caption = "", table = ""] = /^Table: ([^\n]+)\n\n((?:\|[^\n]*(?:\n|$))+)\n*/.exec(source) ?? [];
  if (raw === undefined) return undefined;
  // The pattern matched only lines of a table, so the first token is a table.
  return { type: "captioned", raw, caption, table: this.lexer.blockTokens(table, [])[0] as Tokens.Table };
}

function container(this: TokenizerThis, source: string): ContainerToken | undefined {
  const [raw, , name = "", label = "", body = ""] =
    /^(:{3,})(\w+)(?:\[([^\]\n]*)\])?\n(.*?\n)\1(?:\n+|$)/s.exec(source) ?? [];
  if (raw === undefined) return undefined;
  return { type: "container", raw, name, label, tokens: this.lexer.blockTokens(body, []) };
}

const reader = new Marked({
  gfm: true,
  extensions: Object.entries({ section, entries, captioned, container }).map(([name, tokenizer]) => ({
    name,
    level: "block" as const,
    tokenizer,
  })),
});

/** The block tokens of a text with their children. */
export const tokensOf = (text: string): Token[] => reader.lexer(text);

const NAMES: Readonly<Record<string, string>> = { ...CODE_LANGUAGES, sh: "Shell" };

/** ```` ```sh name ````: the language of a code block and the rest of that line. */
export function codeBlockInfo({ lang }: Tokens.Code): { language: string; name: string } {
  const [language = "", ...rest] = (lang ?? "").split(" ");
  return { language, name: rest.join(" ") || (NAMES[language] ?? language) };
}

/** The second-level headings of a page, for its table of contents. */
export const headingsOf = (tokens: readonly Token[]): { id: string; text: string }[] =>
  (tokens as DocsToken[]).flatMap((token) =>
    token.type === "section" && token.depth === 2 && token.id !== null
      ? [{ id: token.id, text: token.text.replaceAll("`", "") }]
      : [],
  );
