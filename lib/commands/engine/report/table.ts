import { escapeHtml } from "./chart";

const NUMBER = /^[-+]?[0-9]/;

/** An HTML table. Columns whose first cell is a figure are set flush right and never broken. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const kinds = head.map((_, j) =>
    j > 0 && rows.some((row) => NUMBER.test(row[j] ?? "")) ? "number" : "text",
  );
  const cells = (tag: string, row: readonly string[]) =>
    row.map((cell, j) => `<${tag} class="${kinds[j]}">${escapeHtml(cell)}</${tag}>`).join("");
  const body = rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("");
  return `<div class="scroll"><table><thead><tr>${cells("th", head)}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** 12.3 %. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
