import { processWide } from "./process-wide";

/**
 * Takes a long part of a page's HTML out of the framework's hands where the server puts it in afterwards (`held-texts.ts`);
 * elsewhere, as in a browser, the page carries it itself.
 */
export const pageTexts = processWide("page-texts", () => ({ held: (html: string): string => html }));
