import type { CSSProperties } from "react";

// STYLES are the inline styles of the light scheme. Mail clients that support dark styles also apply DARK_STYLES.
const FONT = '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Helvetica, Arial, sans-serif';
const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace';

export const STYLES = {
  body: { margin: 0, padding: "32px 12px", backgroundColor: "#f8f7f4", color: "#17181c", fontFamily: FONT },
  card: {
    maxWidth: "560px",
    backgroundColor: "#ffffff",
    border: "1px solid #e4e1da",
    borderRadius: "10px",
    padding: "32px",
  },
  brand: {
    margin: "0 0 24px",
    fontSize: "16px",
    lineHeight: "24px",
    fontWeight: 600,
    letterSpacing: "-0.01em",
    color: "#17181c",
  },
  logo: {
    display: "inline-block",
    height: "32px",
    width: "auto",
    maxWidth: "140px",
    borderRadius: "6px",
    margin: "0 10px 0 0",
    verticalAlign: "middle",
  },
  heading: {
    margin: "0 0 16px",
    fontSize: "22px",
    lineHeight: "28px",
    fontWeight: 600,
    letterSpacing: "-0.01em",
  },
  text: { margin: "0 0 16px", fontSize: "15px", lineHeight: "24px" },
  small: { margin: "0 0 8px", fontSize: "13px", lineHeight: "20px", color: "#53565e" },
  label: { margin: "0 0 4px", fontSize: "13px", lineHeight: "20px", color: "#53565e" },
  codeBox: {
    margin: "0 0 16px",
    padding: "12px 16px",
    backgroundColor: "#f1efea",
    border: "1px solid #e4e1da",
    borderRadius: "6px",
  },
  code: {
    fontFamily: MONO,
    fontSize: "14px",
    lineHeight: "22px",
    overflowWrap: "anywhere",
    userSelect: "all",
  },
  inlineCode: { fontFamily: MONO, fontSize: "14px", overflowWrap: "anywhere" },
  facts: { width: "100%", margin: "0 0 20px", borderCollapse: "collapse", tableLayout: "fixed" },
  factName: {
    width: "34%",
    padding: "8px 16px 8px 0",
    borderTop: "1px solid #e4e1da",
    fontSize: "14px",
    lineHeight: "20px",
    color: "#53565e",
    overflowWrap: "anywhere",
    verticalAlign: "top",
    textAlign: "left",
    fontWeight: 400,
  },
  factValue: {
    padding: "8px 0",
    borderTop: "1px solid #e4e1da",
    fontSize: "14px",
    lineHeight: "20px",
    verticalAlign: "top",
    textAlign: "left",
    fontVariantNumeric: "tabular-nums",
    overflowWrap: "anywhere",
  },
  list: { margin: "0 0 20px", padding: "0 0 0 22px", fontSize: "15px", lineHeight: "24px" },
  item: { margin: "0 0 6px" },
  button: {
    display: "inline-block",
    padding: "12px 20px",
    backgroundColor: "#17181c",
    color: "#f8f7f4",
    borderRadius: "6px",
    fontSize: "15px",
    fontWeight: 600,
    textDecoration: "none",
  },
  rule: { margin: "28px 0 20px", border: "none", borderTop: "1px solid #e4e1da" },
  link: { color: "#2148b8", textDecoration: "underline", overflowWrap: "anywhere" },
} as const satisfies Record<string, CSSProperties>;

/** Rules of the dark scheme, in the colours of the site. With `!important`, because inline styles win otherwise. */
const DARK: readonly [selector: string, declarations: string][] = [
  // The second selector is a table cell, into which React Email moves the body's padding and colour.
  [".page,.page>table>tbody>tr>td", "background-color:#0f1012!important;color:#ecebe7!important"],
  [".card", "background-color:#16171a!important;border-color:#292b30!important"],
  [".ink", "color:#ecebe7!important"],
  [".muted", "color:#abadb4!important"],
  [".sunken", "background-color:#1c1e21!important;border-color:#292b30!important"],
  [".line", "border-color:#292b30!important"],
  [".link", "color:#9db2ff!important"],
  [".button", "background-color:#ecebe7!important;color:#0f1012!important"],
];

const rules = (prefix: string) =>
  DARK.map(
    ([selector, declarations]) =>
      `${selector
        .split(",")
        .map((one) => prefix + one)
        .join()}{${declarations}}`,
  ).join("");

export const DARK_STYLES = [
  ":root{color-scheme:light dark;supported-color-schemes:light dark}",
  `@media (prefers-color-scheme:dark){${rules("")}}`,
  // Outlook on the web does not use the media query, but sets the attribute data-ogsc in its dark scheme.
  rules("[data-ogsc] "),
].join("");

/** CSS that sets the operator's colours for links, in the light and in the dark scheme. */
export function accentStyles({ light, dark }: { light: string; dark: string }): string {
  const chosen = (prefix: string) => `${prefix}.link{color:${dark}!important}`;
  return [
    `.link{color:${light}!important}`,
    `@media (prefers-color-scheme:dark){${chosen("")}}`,
    chosen("[data-ogsc] "),
  ].join("");
}
