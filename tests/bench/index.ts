import { benchAdmin } from "./admin";
import { benchScan } from "./scan";
import { benchWebhook } from "./webhook";

/** Every bench by name. Each returns the lines to print last. */
export const benches: Record<string, () => Promise<string[]>> = {
  admin: benchAdmin,
  scan: benchScan,
  webhook: benchWebhook,
};
