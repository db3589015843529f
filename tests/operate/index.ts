import { disaster } from "./disaster";
import { fresh } from "./fresh";

/** Scenarios of operating the service by their command-line name. Each returns the lines to print, or throws at a failure. */
export const operations: Record<string, () => Promise<string[]>> = { disaster, fresh };
