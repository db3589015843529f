import type { Suite } from "@/tests/support/run-named";
import { fuzzAuthorisation } from "./authorisation";
import { fuzzParsers } from "./parsers";
import { fuzzPayments } from "./payments";
import { fuzzRequests } from "./requests";

/** Every fuzz run by its command-line name. Each returns the lines to print at the end, or throws at a failure. */
export const fuzzes: Record<string, Suite> = {
  authorisation: fuzzAuthorisation,
  parsers: fuzzParsers,
  payments: fuzzPayments,
  requests: fuzzRequests,
};
