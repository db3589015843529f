import { Lexer, type MarkedToken, type Token } from "marked";
import { Fragment, type ReactNode } from "react";
import { ScrollRegion } from "./scroll-region";

/**
 * Renders Markdown of the operator safely: HTML is shown as text, images by their description, and links may lead only to
 * a page, a file or a mailbox.
 */
export function Markdown({ text }: { text: string }) {
  return <MarkdownTokens tokens={new Lexer({ gfm: true }).lex(text)} />;
}

/** Renders a kind of token; undefined selects the default rendering. `inside` renders the children of a token. */
export type TokenRenderer = (
  token: Token,
  inside: (tokens: readonly Token[]) => ReactNode,
) => ReactNode | undefined;

export function MarkdownTokens({
  tokens,
  render,
}: {
  tokens: readonly Token[] | undefined;
  render?: TokenRenderer;
}): ReactNode {
  const inside = (children: readonly Token[] | undefined) => (
    <MarkdownTokens tokens={children} {...(render && { render })} />
  );
  return tokens?.map((token, index) => (
    // The parts of a text that does not change.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <Fragment key={index}>{render?.(token, inside) ?? draw(token, inside)}</Fragment>
  ));
}

const HERE = "http://here.invalid";

/** Whether a link leads to a page, a file or a mailbox. Browsers read `/\\` and `/<tab>/` as `//`, another site. */
function isSafeLink(href: string): boolean {
  if (/^(?:https?:\/\/|mailto:|#)/i.test(href)) return true;
  return href.startsWith("/") && URL.canParse(href, HERE) && new URL(href, HERE).origin === HERE;
}

function draw(given: Token, inside: (tokens: readonly Token[] | undefined) => ReactNode): ReactNode {
  // Without extensions the lexer produces only these kinds.
  const token = given as MarkedToken;
  switch (token.type) {
    case "heading":
      return token.depth <= 2 ? <h2>{inside(token.tokens)}</h2> : <h3>{inside(token.tokens)}</h3>;
    case "paragraph":
      return <p>{inside(token.tokens)}</p>;
    case "list": {
      const items = token.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <li key={index}>{inside(item.tokens)}</li>
      ));
      return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
    }
    case "blockquote":
      return <blockquote className="border-l-2 pl-4 text-muted">{inside(token.tokens)}</blockquote>;
    case "table":
      return (
        <ScrollRegion label="Table">
          <table className="w-full text-left text-sm">
            <thead>
              <tr>
                {token.header.map((cell) => (
                  <th key={cell.text} scope="col" className="border-b py-2 pr-4 font-medium">
                    {inside(cell.tokens)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {token.rows.map((row, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <tr key={index}>
                  {row.map((cell, column) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: as above
                    <td key={column} className="border-b py-2 pr-4 align-top">
                      {inside(cell.tokens)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      );
    case "code":
      return (
        <pre className="overflow-x-auto rounded-md border bg-sunken p-3 text-sm">
          <code>{token.text}</code>
        </pre>
      );
    case "hr":
      return <hr />;
    case "strong":
      return <strong>{inside(token.tokens)}</strong>;
    case "em":
      return <em>{inside(token.tokens)}</em>;
    case "del":
      return <del>{inside(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return isSafeLink(token.href) ? (
        <a href={token.href} className="link">
          {inside(token.tokens)}
        </a>
      ) : (
        inside(token.tokens)
      );
    case "text":
      return token.tokens ? inside(token.tokens) : plain(token.text);
    case "escape":
    case "image":
      return plain(token.text);
    case "html":
      return plain(token.raw);
    default:
      return null;
  }
}

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** Replaces HTML entities of the operator's text, which the lexer keeps and React would show as they are written. */
const plain = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (sign) => ENTITIES[sign] ?? sign);
