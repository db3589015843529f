import { disaster } from "./disaster";
import { fresh } from "./fresh";

/** What an operator lives through, by name. Each returns the lines to print last, or throws when something was lost. */
export const operations: Record<string, () => Promise<string[]>> = { disaster, fresh };
