/** Escapes a text for Markdown; text between backticks stays code. */
export function escapeMarkdown(text: string): string {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[\\*[\]<~@]|:(?=\/\/)/g, "\\$&")))
    .join("`");
}

/** A table in Markdown. */
export function markdownTable(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(headers), line(headers.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A block of code in Markdown. */
export const markdownCodeBlock = (language: string, name: string, code: string): string =>
  `\`\`\`${language} ${name}\n${code}\n\`\`\``;
