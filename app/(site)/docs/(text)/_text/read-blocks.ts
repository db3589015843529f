import { Fragment, isValidElement, type ReactElement, type ReactNode } from "react";
import { CodeBlock } from "@/app/_components/code-block";
import { CodeTabs, LANGUAGES, type Language } from "@/app/_components/code-tabs";
import { CopyButton } from "@/app/_components/copy-button";
import { Hint } from "@/app/_components/hint";
import { AsMarkdown } from "@/app/(site)/docs/(text)/_parts/as-markdown";
import { ReadOn } from "@/app/(site)/docs/(text)/_parts/read-on";

/** A piece of a docs page in Markdown. `id`: an address can name it. */
export type Block =
  | { kind: "heading"; level: number; id: string | null; text: string }
  | { kind: "text"; id: string | null; text: string }
  | { kind: "code"; name: string; code: string };

type Props = Record<string, unknown> & { children?: ReactNode };

/** What belongs to the page as a page, and not to its text. */
const LEFT_OUT = new Set<unknown>([
  AsMarkdown,
  CopyButton,
  Hint,
  ReadOn,
  "nav",
  "button",
  "caption",
  "svg",
  "noscript",
  "script",
]);

/** Where text runs on; any other element begins a block. */
const INLINE = new Set(["a", "abbr", "b", "code", "em", "i", "small", "span", "strong", "time", "br"]);

/**
 * The text of a docs page: its components are called as they are to make the page, and what they return is read as
 * Markdown. They are those of the server alone, which keep no state.
 */
export async function readBlocks(node: ReactNode): Promise<Block[]> {
  const pieces = childrenOf(node);
  const blocks: Block[] = [];
  let line: ReactNode[] = [];
  const endLine = async () => {
    const text = (await readLine(line)).trim();
    if (text !== "") blocks.push({ kind: "text", id: null, text });
    line = [];
  };
  for (const piece of pieces) {
    const element = isValidElement<Props>(piece) ? await resolved(piece) : piece;
    if (!isElement(element)) {
      if (element !== null && typeof element === "object") {
        await endLine();
        blocks.push(...(await readBlocks(element)));
      } else line.push(element);
    } else if (isInline(element)) line.push(element);
    else {
      await endLine();
      blocks.push(...(await readElement(element)));
    }
  }
  await endLine();
  return blocks;
}

async function readElement(element: ReactElement<Props>): Promise<Block[]> {
  const { type, props } = element;
  if (type === CodeBlock) return [{ kind: "code", name: String(props.name), code: String(props.code) }];
  if (type === CodeTabs) return tabsOf(props.code);
  const heading = typeof type === "string" ? /^h([1-6])$/.exec(type)?.[1] : undefined;
  if (heading !== undefined)
    return [
      { kind: "heading", level: Number(heading), id: idOf(props), text: await readLine(props.children) },
    ];
  switch (type) {
    case "p":
      return textBlock(await readLine(props.children), idOf(props));
    case "ul":
    case "ol":
      return textBlock(await readList(props.children, type === "ol"), idOf(props));
    case "table":
      return textBlock(await readTable(props.children), null);
    case "dl":
      return readEntries(props.children);
    default:
      return readBlocks(props.children);
  }
}

const textBlock = (text: string, id: string | null): Block[] =>
  text.trim() === "" ? [] : [{ kind: "text", id, text: text.trim() }];

function tabsOf(code: unknown): Block[] {
  if (typeof code !== "object" || code === null) return [];
  return Object.entries(code).flatMap(([language, text]): Block[] =>
    typeof text === "string"
      ? [{ kind: "code", name: LANGUAGES[language as Language] ?? language, code: text }]
      : [],
  );
}

/** Words with their meanings: an entry that an address can name is a block of its own. */
async function readEntries(node: ReactNode): Promise<Block[]> {
  const blocks: Block[] = [];
  for (const piece of childrenOf(node)) {
    const element = isValidElement<Props>(piece) ? await resolved(piece) : null;
    if (!isElement(element)) continue;
    if (element.type === "dt") {
      blocks.push(...textBlock(`**${(await readLine(element.props.children)).trim()}**`, null));
    } else if (element.type === "dd") {
      const text = (await readLine(element.props.children)).trim();
      const last = blocks.at(-1);
      if (last?.kind === "text" && /^\*\*.*\*\*$/.test(last.text)) last.text += `: ${text}`;
      else blocks.push(...textBlock(text, null));
    } else {
      const inside = await readEntries(element.props.children);
      const [first] = inside;
      if (first?.kind === "text") first.id = idOf(element.props) ?? first.id;
      blocks.push(...inside);
    }
  }
  return blocks;
}

async function readList(node: ReactNode, isNumbered: boolean): Promise<string> {
  const items: string[] = [];
  for (const piece of childrenOf(node)) {
    const element = isValidElement<Props>(piece) ? await resolved(piece) : null;
    if (!isElement(element)) continue;
    items.push(
      `${isNumbered ? `${items.length + 1}.` : "-"} ${(await readLine(element.props.children)).trim()}`,
    );
  }
  return items.join("\n");
}

async function readTable(node: ReactNode): Promise<string> {
  const rows: string[][] = [];
  const collect = async (part: ReactNode, cells: string[] | null): Promise<void> => {
    for (const piece of childrenOf(part)) {
      const element = isValidElement<Props>(piece) ? await resolved(piece) : null;
      if (!isElement(element) || element.type === "caption") continue;
      if (element.type === "tr") {
        const row: string[] = [];
        rows.push(row);
        await collect(element.props.children, row);
      } else if (element.type === "th" || element.type === "td")
        cells?.push((await readLine(element.props.children)).trim().replaceAll("|", "\\|"));
      else await collect(element.props.children, cells);
    }
  };
  await collect(node, null);
  const [head = [], ...body] = rows;
  const written = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [written(head), written(head.map(() => "---")), ...body.map(written)].join("\n");
}

/** A run of text with its marks, without line breaks. */
async function readLine(node: ReactNode): Promise<string> {
  let text = "";
  for (const piece of childrenOf(node)) {
    if (typeof piece === "string" || typeof piece === "number") text += String(piece);
    const element = isValidElement<Props>(piece) ? await resolved(piece) : null;
    if (element === null) continue;
    if (!isElement(element)) {
      text += await readLine(element);
      continue;
    }
    const { type, props } = element;
    if (type === CodeBlock) text += ` \`${String(props.code)}\` `;
    else text += marked(type, props, await readLine(props.children));
  }
  return text.replaceAll(/\s+/g, " ");
}

function marked(type: unknown, props: Props, inside: string): string {
  if (type === "br") return " ";
  if (inside.trim() === "") return inside;
  if (type === "code") return `\`${inside}\``;
  if (type === "strong" || type === "b") return `**${inside}**`;
  const { href } = props;
  if (typeof href === "string") return `[${inside.trim()}](${href})`;
  // Blocks inside a cell or an entry stand apart from each other.
  return typeof type === "string" && INLINE.has(type) ? inside : ` ${inside} `;
}

const isElement = (node: unknown): node is ReactElement<Props> => isValidElement(node);

const isInline = ({ type, props }: ReactElement<Props>): boolean =>
  typeof props.href === "string" || (typeof type === "string" && INLINE.has(type));

const idOf = ({ id }: Props): string | null => (typeof id === "string" ? id : null);

/** Every child, lists and fragments opened. */
function childrenOf(node: ReactNode): ReactNode[] {
  if (Array.isArray(node)) return node.flatMap(childrenOf);
  if (isElement(node) && node.type === Fragment) return childrenOf(node.props.children);
  return node === null || node === undefined || typeof node === "boolean" ? [] : [node];
}

/** The element behind our own components; what belongs to the page alone comes to nothing. */
async function resolved(element: ReactElement<Props>): Promise<ReactNode> {
  const { type, props } = element;
  if (LEFT_OUT.has(type) || props["aria-hidden"] === "true" || props.className === "sr-only") return null;
  if (type === CodeBlock || type === CodeTabs || typeof props.href === "string") return element;
  // A component of the browser, such as an icon, is not called here.
  if (typeof type !== "function" || "$$typeof" in type) return typeof type === "object" ? null : element;
  // A function component takes its props and returns a node, or a promise of one.
  const made = await (type as unknown as (props: Props) => ReactNode | Promise<ReactNode>)(props);
  return isElement(made) ? resolved(made) : made;
}
