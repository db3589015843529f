/** Plain pages: public pages that are sent without the framework's scripts and its copy of the data. */
import { isPlain } from "@/lib/server/mounts";
import type { FoundPage } from "./page-finder";

/** An address that has no page, for the document that says so. */
export const NO_PAGE = "/-";

/** Whether the answer at this path is a plain page. `found` is the page that Next has there. */
export function isPlainPage(path: string, found: FoundPage | null): boolean {
  return found === null ? path === NO_PAGE : found.kind === "page" && isPlain(found.template);
}

// These read what React has written, not any HTML: attributes in double quotes without a ">" in them, and every "</script"
// inside of a script escaped. Next 16 has no setting that leaves its script out.
const SCRIPT = /<script\b([^>]*)>[\s\S]*?<\/script>/g;
const SCRIPT_PRELOAD = /<link\b(?=[^>]*\brel="(?:module)?preload")(?=[^>]*\bas="script")[^>]*>/g;
const OWN_SCRIPT = /\bsrc="\/(?:enhance|verify\/check-one)\.js[?"]/;

/** The document without the framework's scripts; the site's own stays. */
export function plainHtml(html: string): string {
  return html
    .replace(SCRIPT, (script, attributes: string) => (OWN_SCRIPT.test(attributes) ? script : ""))
    .replace(SCRIPT_PRELOAD, "");
}
