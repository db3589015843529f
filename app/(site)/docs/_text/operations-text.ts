import { OPERATIONS } from "@/app/operations.generated";
import {
  makeReference,
  type ReferenceField,
  type ReferenceGroup,
  type ReferenceOperation,
} from "@/lib/api/openapi/reference";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { escapeMarkdown, markdownCodeBlock, markdownTable } from "./write-markdown";

const ACCESS: Record<ReferenceOperation["access"], string> = {
  key: "Needs a subscriber's key in X-API-Key.",
  admin: "Needs the administrator secret in X-Admin-Secret.",
  producer:
    "Needs the administrator secret in X-Admin-Secret, or a producer token in X-Producer-Token. Administrators create these tokens under Models.",
  feed: "Needs a feed token in X-Feed-Token. Administrators create these tokens under Feeds.",
  signature: "Needs a signature of the raw body in x-signature.",
  anyone: "Needs no key.",
};

/** Every API operation as Markdown: parameters, response and errors. */
export function operationsText(): string {
  return processWide("reference", () => {
    const groups = makeReference(OPERATIONS, env().baseUrl);
    return [...groups.map(contentsText), ...groups.map(groupText)].join("\n\n");
  });
}

function contentsText({ name, operations }: ReferenceGroup): string {
  const lines = operations.map(
    ({ id, method, path, summary }) => `- [\`${method} ${path}\`](#${id}) ${escapeMarkdown(summary)}`,
  );
  return `**${name}**\n\n${lines.join("\n")}`;
}

function groupText({ name, description, operations }: ReferenceGroup): string {
  return [
    `## ${name} {#${name.toLowerCase()}}`,
    escapeMarkdown(description),
    ...operations.map(operationText),
  ].join("\n\n");
}

function operationText(operation: ReferenceOperation): string {
  const { id, method, path, parameters, body, answer, errors } = operation;
  const name = `${method} ${path}`;
  const statuses = [...new Set(errors.map((error) => error.status))];
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  const parts = [
    `::::operation[${id}]`,
    `### [\`${name}\`](#${id}) {#${id}}`,
    `**${escapeMarkdown(operation.summary)}**`,
    `${escapeMarkdown(operation.description)} ${ACCESS[operation.access]}`,
    markdownCodeBlock("sh", `curl, ${name}`, operation.curl),
    parameters.length > 0 && fieldsText(`Parameters of ${name}`, parameters, "required"),
    body && "#### Body",
    body && fieldsText(`Fields of the body of ${name}`, body.fields, "required"),
    body && markdownCodeBlock("json", `Body, ${name}`, json(body.example)),
    `#### Response ${answer.status}`,
    `${escapeMarkdown(answer.description)}.`,
    answer.example !== undefined &&
      markdownCodeBlock("json", `${answer.status}, ${name}`, json(answer.example)),
    answer.fields.length > 0 &&
      `:::details[Fields of the response (${answer.fields.length})]\n${fieldsText(`Fields of the response of ${name}`, answer.fields, "not always")}\n:::`,
    "#### Errors",
    statuses.map((status) => `- **${status}** ${linksOf(status, errors)}`).join("\n"),
    "::::",
  ];
  return parts.filter((part) => typeof part === "string").join("\n\n");
}

/**
 * A table of fields with name, type and meaning. `mark` labels required request fields, or response fields that can be
 * missing.
 */
function fieldsText(
  caption: string,
  fields: readonly ReferenceField[],
  mark: "required" | "not always",
): string {
  const rows = fields.map(({ name, type, required, meaning }) => [
    `\`${name}\`${required === (mark === "required") ? ` *${mark}*` : ""}`,
    escapeMarkdown(type),
    escapeMarkdown(meaning),
  ]);
  return `Table: ${caption}\n\n${markdownTable(["Name", "Type", "Meaning"], rows)}`;
}

const linksOf = (status: number, errors: ReferenceOperation["errors"]): string =>
  errors
    .filter((error) => error.status === status)
    .map(({ code }) => `[${escapeMarkdown(code)}](${paths.docs("errors", code)})`)
    .join(" ");
