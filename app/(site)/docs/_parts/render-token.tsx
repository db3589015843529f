import type { Token, Tokens } from "marked";
import type { ReactNode } from "react";
import { CodeBlock } from "@/app/_components/code-block";
import { CODE_LANGUAGES, type CodeLanguage, CodeTabs } from "@/app/_components/code-tabs";
import { DataTable } from "@/app/_components/data-table";
import { MarkdownTokens, type TokenRenderer } from "@/app/_components/markdown";
import { Notice } from "@/app/_components/notice";
import { ScrollRegion } from "@/app/_components/scroll-region";
import {
  type ContainerToken,
  codeBlockInfo,
  type DefinitionsToken,
  type DocsToken,
} from "@/app/(site)/docs/_text/tokens";

type Inside = (tokens: readonly Token[]) => ReactNode;

/** Renders the documentation's own extensions to Markdown, and the elements that it styles differently. */
export const renderToken: TokenRenderer = (given, inside) => {
  // The switch handles the documentation's own tokens. All others get the default rendering of Markdown.
  const token = given as DocsToken;
  switch (token.type) {
    case "section": {
      const Heading = `h${token.depth}` as "h2" | "h3" | "h4";
      return (
        <Heading
          id={token.id ?? undefined}
          className="scroll-mt-24 [&>a]:text-inherit [&>a]:no-underline [&>a:hover]:underline"
        >
          {inside(token.tokens)}
        </Heading>
      );
    }
    case "code":
      return <CodeBlock name={codeBlockInfo(token).name} code={token.text} />;
    case "table":
      return <Facts caption={token.header.map(headerOf).join(", ")} token={token} inside={inside} />;
    case "captioned":
      return <Facts caption={token.caption} token={token.table} inside={inside} />;
    case "entries":
      return <Words items={token.items} inside={inside} />;
    case "container":
      return containerOf(token)(token, inside);
    case "link":
      if (token.href.startsWith("/ea-kit/"))
        return (
          <a href={token.href} download className="link">
            {inside(token.tokens)}
          </a>
        );
      return undefined;
    default:
      return undefined;
  }
};

const headerOf = ({ text }: Tokens.TableCell) => text.replaceAll("`", "");

type FactRow = { index: number; cells: Tokens.TableCell[] };

/** A definition list of fields, headers or codes. */
function Facts({ caption, token, inside }: { caption: string; token: Tokens.Table; inside: Inside }) {
  return (
    <div className="overflow-hidden rounded-lg border bg-raised">
      <DataTable<FactRow>
        caption={caption}
        wrap
        rows={token.rows.map((cells, index) => ({ index, cells }))}
        rowKey={({ index }) => index}
        columns={token.header.map((cell, index) => ({
          key: cell.text,
          header: headerOf(cell),
          primary: index === 0,
          cell: ({ cells }) => {
            const tokens = cells[index]?.tokens ?? [];
            return index === 0 ? <MarkdownTokens tokens={tokens} render={renderNameToken} /> : inside(tokens);
          },
        }))}
      />
    </div>
  );
}

/** Tables of an operation are compact: the reference has a thousand rows on one page. */
const renderOperationToken: TokenRenderer = (given, inside) => {
  const token = given as DocsToken;
  if (token.type !== "captioned") return renderToken(given, inside);
  return <Fields caption={token.caption} token={token.table} inside={inside} />;
};

/** A table of names, types and meanings. It keeps its columns on a phone. */
function Fields({ caption, token, inside }: { caption: string; token: Tokens.Table; inside: Inside }) {
  return (
    <ScrollRegion label={caption}>
      <table className="w-full text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b text-left text-xs text-muted">
            {token.header.map(({ text }) => (
              <th key={text} scope="col" className="px-4 py-2 font-medium">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y [&>tr>*]:px-4 [&>tr>*]:py-2 [&>tr>*]:align-top [&>tr>:last-child]:min-w-48">
          {token.rows.map(([name, ...cells], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a text that does not change
            <tr key={index}>
              <th scope="row" className="text-left font-normal whitespace-nowrap">
                <MarkdownTokens tokens={name?.tokens} render={renderNameToken} />
              </th>
              {cells.map((cell, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                <td key={place}>{inside(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

/** In the first cell of a row, code is an API name and emphasis is a note about it. */
const renderNameToken: TokenRenderer = (token) => {
  if (token.type === "codespan")
    return <code className="font-mono text-[0.8125rem] font-medium">{token.text}</code>;
  return token.type === "em" ? (
    <span className="ml-1 text-xs font-normal text-muted">{token.text}</span>
  ) : undefined;
};

/** Terms with their definitions; a term with an id is a link target. */
function Words({ items, inside }: { items: DefinitionsToken["items"]; inside: Inside }) {
  return (
    <dl className="divide-y border-y">
      {items.map(({ id, word, meanings }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the entries of a text that does not change
        <div key={index} id={id ?? undefined} className="scroll-mt-24 py-4 target:bg-sunken">
          <dt className="font-semibold">{inside(word)}</dt>
          {meanings.map((meaning, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <dd key={place} className="mt-1 text-base">
              {inside(meaning)}
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}

const CONTAINERS: Readonly<Record<string, (container: ContainerToken, inside: Inside) => ReactNode>> = {
  /** One example in several languages. */
  tabs: ({ label, tokens }) => <CodeTabs what={label} code={codeByLanguage(tokens)} />,
  /** A request in several languages with its response: next to it on a wide screen, else below. */
  exchange: ({ label, tokens }) => {
    const answer = codesOf(tokens).find((token) => codeBlockInfo(token).language === "json");
    return (
      <div className="beside grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-[minmax(0,5fr)_minmax(0,4fr)]">
        <CodeTabs what={label} code={codeByLanguage(tokens)} />
        {answer && (
          <div className="max-h-80 overflow-y-auto rounded-lg xl:mt-11">
            <CodeBlock name={codeBlockInfo(answer).name} code={answer.text} />
          </div>
        )}
      </div>
    );
  },
  warning: ({ label, tokens }, inside) => (
    <Notice tone="warn" title={label}>
      {inside(tokens)}
    </Notice>
  ),
  details: ({ label, tokens }, inside) => (
    <details className="rounded-lg border bg-raised">
      <summary className="min-h-11 px-4 py-2.5 text-sm font-medium">{label}</summary>
      {inside(tokens)}
    </details>
  ),
  /** An operation of the reference; the label is the id of its heading. */
  operation: ({ label, tokens }) => (
    <section aria-labelledby={label} className="mt-10 space-y-4 border-t pt-8">
      <MarkdownTokens tokens={tokens} render={renderOperationToken} />
    </section>
  ),
};

function containerOf({ name }: ContainerToken) {
  const draw = CONTAINERS[name];
  if (draw === undefined) throw new Error(`the documentation has no container named ${name}`);
  return draw;
}

const codesOf = (tokens: readonly Token[]): Tokens.Code[] =>
  tokens.filter((token): token is Tokens.Code => token.type === "code");

const codeByLanguage = (tokens: readonly Token[]): Partial<Record<CodeLanguage, string>> =>
  Object.fromEntries(
    codesOf(tokens)
      .filter((token) => codeBlockInfo(token).language in CODE_LANGUAGES)
      .map((token) => [codeBlockInfo(token).language, token.text]),
  );
