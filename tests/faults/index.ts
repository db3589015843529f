import { fillDisk } from "./disk";
import { drainUnderLoad } from "./drain";
import { killApplication, restartInTurn, stopDatabase } from "./kills";

/** Every fault by name. Each returns the lines to print last, or throws when something was lost or doubled. */
export const faults: Record<string, () => Promise<string[]>> = {
  "kill-application": killApplication,
  "stop-database": stopDatabase,
  "restart-in-turn": restartInTurn,
  "fill-disk": fillDisk,
  drain: drainUnderLoad,
};
