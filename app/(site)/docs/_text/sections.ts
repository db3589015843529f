import type { DocsBlock } from "./blocks";
import { type DocsText, docsBlocks } from "./pages";

/** A section of a page with its fragment and its words in lower case. */
export interface DocsSection {
  href: string;
  page: string;
  title: string;
  text: string;
  titleWords: readonly string[];
  textWords: ReadonlyMap<string, number>;
}

export interface DocsSearchHit {
  href: string;
  page: string;
  title: string;
  /** Text around the first match. */
  excerpt: string;
}

const MAX_HITS = 20;
const EXCERPT = 160;

/** The sections of a page; each error code and glossary term is a separate section. */
export function sectionsOf(docs: DocsText): DocsSection[] {
  const { href, label } = docs.entry;
  const parts: { id: string | null; title: string; texts: string[] }[] = [];
  const open = (id: string | null, title: string) => {
    const part = { id, title, texts: [] as string[] };
    parts.push(part);
    return part;
  };
  let part = open(null, label);
  for (const block of docsBlocks(docs)) {
    if (block.kind === "heading") {
      if (block.id !== null) part = open(block.id, plain(block.text));
      else if (block.level > 1) part.texts.push(plain(block.text));
    } else if (block.kind === "text" && block.id !== null) {
      // A definition, such as an error code, becomes a separate section, and the section around it continues.
      const [, word = "", meaning = ""] = /^\*\*(.*?)\*\*:? ?([\s\S]*)$/.exec(block.text) ?? [];
      parts.push({ id: block.id, title: plain(word || block.text), texts: [plain(meaning)] });
    } else part.texts.push(textOf(block));
  }
  return parts.map(({ id, title, texts }) => {
    const text = texts.join(" ");
    return {
      href: id === null ? href : `${href}#${id}`,
      page: label,
      title,
      text,
      titleWords: wordsOf(title),
      textWords: counted(wordsOf(text)),
    };
  });
}

const textOf = (block: DocsBlock) => (block.kind === "code" ? block.code : plain(block.text));

/** Markdown without its markup. */
const plain = (text: string) =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]|^\|[ |-]*$/gm, "")
    .replaceAll(/\s*\|\s*/g, " ")
    .replaceAll(/\\([!-/:-@[-`{-~])/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

function counted(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/**
 * The best matching sections, the best first: those that contain, for each of the first 8 words of the query, a word
 * that starts with it. The page's name counts too, if it begins with the word.
 */
export function searchSections(sections: readonly DocsSection[], query: string): DocsSearchHit[] {
  const wanted = [...new Set(wordsOf(query))].slice(0, 8);
  if (wanted.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_HITS)
    .map(({ section: { href, page, title, text } }) => ({
      href,
      page,
      title,
      excerpt: excerptOf(text, wanted),
    }));
}

/**
 * The score of a section; 0 if a word of the query is missing. A title counts more than text, a whole word more than a
 * prefix, and a title equal to the query most.
 */
function scoreOf(section: DocsSection, wanted: readonly string[]): number {
  let total = section.titleWords.join(" ") === wanted.join(" ") ? 50 : 0;
  for (const word of wanted) {
    let score = 0;
    for (const known of section.titleWords)
      if (known.startsWith(word)) score = Math.max(score, known === word ? 20 : 10);
    for (const [known, count] of section.textWords)
      if (known.startsWith(word)) score += (known === word ? 2 : 1) * Math.min(count, 3);
    if (section.page.toLowerCase().startsWith(word)) score += 5;
    if (score === 0) return 0;
    total += score;
  }
  return total;
}

function excerptOf(text: string, wanted: readonly string[]): string {
  const places = wanted.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const place = places.length > 0 ? Math.min(...places) : 0;
  const start = Math.max(0, text.lastIndexOf(" ", Math.max(0, place - EXCERPT / 3)) + 1);
  const piece = text.slice(start, start + EXCERPT);
  return `${start > 0 ? "… " : ""}${piece}${start + EXCERPT < text.length ? " …" : ""}`;
}
