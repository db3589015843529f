import { type ElementType, Fragment, isValidElement, type ReactNode } from "react";

/**
 * What `as` holds is written as HTML at once, and the framework passes it on as one text. It would go through each element
 * three times otherwise: as data for the browser, out of these data again, and as HTML (decision 325). For the many
 * elements of charts and long tables, which are text and drawing alone: nothing in it may need a script or a hook.
 */
export function Written({
  as: Tag,
  children,
  ...attributes
}: { as: ElementType; children: ReactNode } & Record<string, unknown>) {
  const html = textOf(children);
  // Every text and every attribute went through `escaped`; tests hold the result against the framework's own.
  // biome-ignore lint/security/noDangerouslySetInnerHtml: see above
  return <Tag {...attributes} dangerouslySetInnerHTML={{ __html: html }} />;
}

const texts = new WeakMap<object, string>();

/** What is drawn once more from the very same elements is not written again. */
function textOf(children: ReactNode): string {
  if (typeof children !== "object" || children === null) return htmlOf(children);
  const text = texts.get(children) ?? htmlOf(children);
  texts.set(children, text);
  return text;
}

/**
 * Text, numbers, elements of HTML and SVG, and components that are plain functions, as React writes them. Throws on
 * anything else, also on an attribute that is not in the table below: nothing is written that nobody thought of.
 */
export function htmlOf(node: ReactNode): string {
  if (node === null || node === undefined || typeof node === "boolean") return "";
  if (typeof node === "string") return escaped(node);
  if (typeof node === "number" || typeof node === "bigint") return `${node}`;
  if (Array.isArray(node)) {
    let html = "";
    for (const child of node) html += htmlOf(child);
    return html;
  }
  if (!isValidElement<Record<string, unknown>>(node))
    throw new TypeError("only elements and text are written");
  const { type, props } = node;
  if (typeof type === "string") return elementHtml(type, props);
  // The types of React say what an element's children may be; its props do not.
  if (type === Fragment) return htmlOf(props.children as ReactNode);
  if (typeof type !== "function" || "$$typeof" in type || type.prototype?.isReactComponent)
    throw new TypeError("only components that are plain functions are written");
  // A component that waits gives a promise, which is refused above.
  return htmlOf((type as (given: unknown) => ReactNode)(props));
}

function elementHtml(tag: string, props: Readonly<Record<string, unknown>>): string {
  if (!TAG.test(tag)) throw new TypeError(`<${tag}> is not written`);
  let html = `<${tag}`;
  for (const name in props) {
    const value = props[name];
    if (name !== "children" && value !== undefined && value !== null) html += attributeHtml(name, value);
  }
  return VOID.has(tag) ? `${html}/>` : `${html}>${htmlOf(props.children as ReactNode)}</${tag}>`;
}

function attributeHtml(name: string, value: unknown): string {
  const kind = /^(?:aria|data)-[a-z-]+$/.test(name) ? "word" : KINDS.get(name);
  if (kind === undefined) throw new TypeError(`the attribute ${name} is not written`);
  if (kind === "flag") {
    if (typeof value !== "boolean") throw new TypeError(`${name} is true or false`);
    return value ? ` ${NAMES.get(name) ?? name}=""` : "";
  }
  if (typeof value === "boolean" && !/^(?:aria|data)-/.test(name))
    throw new TypeError(`${name} is not true or false`);
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    throw new TypeError(`${name} is a text or a number`);
  const text = `${value}`;
  if (kind === "address" && !SAFE_ADDRESS.test(text)) throw new TypeError(`${name} leads out of the site`);
  return ` ${NAMES.get(name) ?? name}="${escaped(text)}"`;
}

/** Text and drawing: nothing that runs, embeds or is typed into. */
const TAG =
  /^(?:a|abbr|b|br|caption|circle|code|col|colgroup|div|em|figcaption|figure|g|li|line|ol|p|path|polygon|polyline|rect|small|span|strong|sub|sup|svg|table|tbody|td|text|tfoot|th|thead|time|title|tr|tspan|ul)$/;
const VOID = new Set(["br", "col"]);
/** A place on this site. */
const SAFE_ADDRESS = /^(?:\/(?![/\\])|[?#])[^\t\n\r]*$/;

/** Attributes that may be written; those of `aria-` and `data-` beside them. */
const KINDS = new Map<string, "word" | "flag" | "address">([
  ...["className", "id", "title", "role", "scope", "dateTime", "tabIndex", "colSpan", "rowSpan"].map(word),
  ...["width", "height", "viewBox", "preserveAspectRatio", "x", "y", "dx", "dy", "x1", "x2", "y1", "y2"].map(
    word,
  ),
  ...["cx", "cy", "r", "rx", "ry", "d", "points", "fill", "stroke", "transform", "opacity"].map(word),
  ...["strokeDasharray", "strokeWidth", "strokeLinecap", "strokeLinejoin", "textAnchor"].map(word),
  ...["vectorEffect", "fillRule", "clipRule", "fillOpacity", "strokeOpacity", "dominantBaseline"].map(word),
  ["hidden", "flag"],
  ["href", "address"],
]);

function word(name: string): [string, "word"] {
  return [name, "word"];
}

/** Where an attribute has another name in HTML or SVG than among React's. */
const NAMES = new Map([
  ["className", "class"],
  ["tabIndex", "tabindex"],
  ["strokeDasharray", "stroke-dasharray"],
  ["strokeWidth", "stroke-width"],
  ["strokeLinecap", "stroke-linecap"],
  ["strokeLinejoin", "stroke-linejoin"],
  ["textAnchor", "text-anchor"],
  ["vectorEffect", "vector-effect"],
  ["fillRule", "fill-rule"],
  ["clipRule", "clip-rule"],
  ["fillOpacity", "fill-opacity"],
  ["strokeOpacity", "stroke-opacity"],
  ["dominantBaseline", "dominant-baseline"],
]);

const SIGNS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};
const SIGN = /[&<>"']/;
const EVERY_SIGN = /[&<>"']/g;

/** A text as it may stand between tags and in the quotes of an attribute. */
function escaped(text: string): string {
  return SIGN.test(text) ? text.replace(EVERY_SIGN, (sign) => SIGNS[sign] ?? sign) : text;
}
