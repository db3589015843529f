/** Runs by itself: of some walks of each kind without an edge, prints those with a direction at any time as JSON. */
import { CAUTION } from "@/lib/settings/caution";
import { firstDirection, NULL_WALKS } from "./baseline-walks";

const walks = Number(process.argv[2]);
const directed = NULL_WALKS.flatMap((one) =>
  Array.from({ length: walks }, (_, k) => k + 1)
    .filter((seed) => firstDirection(one, seed, CAUTION.usual) !== null)
    .map((seed) => `${one.name}, walk ${seed}`),
);
process.stdout.write(JSON.stringify({ walks: walks * NULL_WALKS.length, directed }));
