import { disaster } from "./disaster";

/** What an operator lives through, by name. Each returns the lines to print last, or throws when something was lost. */
export const operations: Record<string, () => Promise<string[]>> = { disaster };
