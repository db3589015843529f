import { runDisasterRecovery } from "./disaster";
import { runFreshService } from "./fresh";

/** Scenarios of operating the service by their command-line name. Each returns the lines to print, or throws at a failure. */
export const scenarios: Record<string, () => Promise<string[]>> = {
  disaster: runDisasterRecovery,
  fresh: runFreshService,
};
