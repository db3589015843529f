import { fuzzPayments } from "./payments";
import { fuzzRequests } from "./requests";

/** Every fuzz by name. Each returns the lines to print last, or throws at the first difference. */
export const fuzzes: Record<string, () => Promise<string[]>> = {
  payments: fuzzPayments,
  requests: fuzzRequests,
};
