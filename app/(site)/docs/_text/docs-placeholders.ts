import { formatNumber } from "@/app/_components/figures";
import { GLOSSARY, GLOSSARY_GROUPS } from "@/app/_components/glossary";
import { plans } from "@/lib/access/plans";
import { env } from "@/lib/runtime/env";
import { MAX_PIPELINED } from "@/lib/server/request-pipeline";
import { ERRORS, type ErrorCode } from "@/lib/wire/errors";
import { ERROR_ADVICE } from "./advice";
import { operationsText } from "./operations-text";
import { runbookText } from "./runbook-text";
import { escapeMarkdown, markdownTable } from "./write-markdown";

/** `{{name}}` in a text: a number or an address from the code. */
const VALUES: Readonly<Record<string, () => string>> = {
  baseUrl: () => env().baseUrl,
  openPerKey: () => String(env().openPerKey),
  requestsAhead: () => String(MAX_PIPELINED),
};

/** A line `::name`: Markdown generated from the code. */
const PIECES: Readonly<Record<string, () => string>> = {
  "error-codes": errorCodesText,
  glossary: glossaryText,
  operations: operationsText,
  "plan-rates": planRatesText,
  runbook: runbookText,
};

/** Fills in all `{{name}}` and `::name` of a text. Throws on an unknown name. */
export function fillDocsPlaceholders(text: string): string {
  return text.replaceAll(
    /\{\{(\w+)\}\}|^::([\w-]+)$/gm,
    (mark: string, value: string | undefined, piece: string | undefined) => {
      const make = value === undefined ? PIECES[piece ?? ""] : VALUES[value];
      if (make === undefined) throw new Error(`the documentation uses ${mark}, which is not defined`);
      return make();
    },
  );
}

function planRatesText(): string {
  const rows = plans().map(({ name, rateLimitPerMin }) => [`\`${name}\``, formatNumber(rateLimitPerMin)]);
  return markdownTable(["Plan", "Requests in any 60 seconds"], rows);
}

function glossaryText(): string {
  return GLOSSARY_GROUPS.map(({ id, title, terms }) =>
    [
      `## ${title} {#${id}}`,
      ...terms.map((word) => `${GLOSSARY[word].term} {#${word}}\n: ${escapeMarkdown(GLOSSARY[word].text)}`),
    ].join("\n\n"),
  ).join("\n\n");
}

function errorCodesText(): string {
  // `Object.keys` returns `string[]`; the keys of ERRORS are the codes.
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort((a, b) => a - b);
  return statuses
    .map((status) =>
      [
        `## ${status} {#status-${status}}`,
        ...codes
          .filter((code) => ERRORS[code].status === status)
          .map(
            (code) =>
              `\`${code}\` {#${code}}\n: ${escapeMarkdown(ERRORS[code].detail)}\n: ${escapeMarkdown(ERROR_ADVICE[code])}`,
          ),
      ].join("\n\n"),
    )
    .join("\n\n");
}
