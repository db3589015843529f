import { disaster } from "./disaster";
import { fresh } from "./fresh";

/** Scenarios of an operator, by name. Each returns the lines to print at the end, or throws when something was lost. */
export const operations: Record<string, () => Promise<string[]>> = { disaster, fresh };
