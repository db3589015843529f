/** The blocks that the runbook is made of. A text with any other kind of block is refused by a test. */
export type Block =
  | { kind: "heading"; id: string; text: string }
  | { kind: "paragraph"; text: string }
  | { kind: "list"; items: string[] }
  | { kind: "code"; language: string; code: string }
  | { kind: "table"; headers: string[]; rows: string[][] };

/** The blocks of a document after its title. */
export function parseMarkdown(text: string): Block[] {
  const parts = text.split(/^(```\w*\n[\s\S]*?^```$)/m);
  return parts.flatMap((part): Block[] => {
    const [, language, code] = /^```(\w*)\n([\s\S]*?)\n```$/.exec(part) ?? [];
    if (code !== undefined) return [{ kind: "code", language: language ?? "", code }];
    return part
      .split(/\n{2,}/)
      .map((block) => block.trim())
      .filter((block) => block !== "" && !block.startsWith("# "))
      .map(parseBlock);
  });
}

function parseBlock(block: string): Block {
  if (block.startsWith("## "))
    return { kind: "heading", id: headingId(block.slice(3)), text: block.slice(3) };
  const lines = block.split("\n");
  if (lines.every((line) => line.startsWith("|"))) {
    const [headers = [], , ...rows] = lines.map(cellsOf);
    return { kind: "table", headers, rows };
  }
  if (block.startsWith("- "))
    return {
      kind: "list",
      items: block
        .slice(2)
        .split(/\n- /)
        .map((item) => item.replaceAll(/\s*\n\s*/g, " ")),
    };
  return { kind: "paragraph", text: lines.join(" ") };
}

const cellsOf = (line: string) =>
  line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());

/** The id that links to a heading use. */
export const headingId = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");

/** A piece of a line: plain, code, strong, or a link. */
export type Span =
  | { kind: "text" | "code" | "strong"; text: string }
  | { kind: "link"; text: string; to: string };

export function parseSpans(line: string): Span[] {
  return line.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).flatMap((piece): Span[] => {
    if (piece === "") return [];
    if (piece.startsWith("`")) return [{ kind: "code", text: piece.slice(1, -1) }];
    if (piece.startsWith("**")) return [{ kind: "strong", text: piece.slice(2, -2) }];
    const [, text, to] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(piece) ?? [];
    return text !== undefined && to !== undefined
      ? [{ kind: "link", text, to }]
      : [{ kind: "text", text: piece }];
  });
}
