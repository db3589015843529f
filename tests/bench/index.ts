import { benchInterface } from "./interface";
import { benchScan } from "./scan";

/** Every bench by name. Each returns the lines to print last. */
export const benches: Record<string, () => Promise<string[]>> = {
  interface: benchInterface,
  scan: benchScan,
};
