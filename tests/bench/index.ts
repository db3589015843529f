import type { Suite } from "@/tests/support/run-named";
import { benchAdmin } from "./admin";
import { benchCapacity } from "./capacity";
import { benchEngine } from "./engine";
import { benchExports } from "./exports";
import { benchFetches } from "./fetches";
import { benchFootprint } from "./footprint";
import { benchGrowth } from "./growth";
import { benchApiReads } from "./interface";
import { benchPages } from "./pages";
import { benchDeliveryDelay } from "./reach";
import { benchRecord } from "./record";
import { benchScan } from "./scan";
import { benchSignals } from "./signals";
import { benchWebhook } from "./webhook";

/** Every bench by its command-line name. Each returns the lines to print at the end. */
export const benches: Record<string, Suite> = {
  admin: benchAdmin,
  capacity: benchCapacity,
  exports: benchExports,
  fetches: benchFetches,
  footprint: benchFootprint,
  growth: benchGrowth,
  interface: benchApiReads,
  pages: benchPages,
  reach: benchDeliveryDelay,
  record: benchRecord,
  scan: benchScan,
  signals: benchSignals,
  webhook: benchWebhook,
  engine: benchEngine,
};
