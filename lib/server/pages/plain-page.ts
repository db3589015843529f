/** Plain pages: public pages that are sent without the framework's scripts and its copy of the data. */
import { isCacheablePage } from "@/lib/server/mounts";
import type { FoundPage } from "./page-finder";

/** An address where no page exists. Its document is the one for missing pages. */
export const MISSING_PAGE_ADDRESS = "/-";

/** Whether the response at this path is a plain page. `found` is Next's page there. */
export function isPlainPage(path: string, found: FoundPage | null): boolean {
  return found === null
    ? path === MISSING_PAGE_ADDRESS
    : found.kind === "page" && isCacheablePage(found.template);
}

// These patterns match React's output, not any HTML: attributes in double quotes without ">", and every "</script"
// inside a script escaped. Next 16 has no option to omit its scripts.
const SCRIPT = /<script\b([^>]*)>[\s\S]*?<\/script>/g;
const SCRIPT_PRELOAD = /<link\b(?=[^>]*\brel="(?:module)?preload")(?=[^>]*\bas="script")[^>]*>/g;
const OWN_SCRIPT = /\bsrc="\/(?:enhance|scripts\/(?:portal|admin)|verify\/check-one)\.js[?"]/;

/** The document without the framework's scripts; the site's own script stays. */
export function stripFrameworkScripts(html: string): string {
  return html
    .replace(SCRIPT, (script, attributes: string) => (OWN_SCRIPT.test(attributes) ? script : ""))
    .replace(SCRIPT_PRELOAD, "");
}
