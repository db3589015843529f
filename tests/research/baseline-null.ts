/**
 * Program that `runBaselineNull` starts. Prints as JSON the driftless walks on which the baseline gives a direction.
 * Argument: the number of walks of each kind.
 */

import { CAUTION_SETTINGS } from "@/lib/settings/caution";
import { firstDirectionIndex, NULL_WALKS } from "./baseline-walks";

const walks = Number(process.argv[2]);
const directed = NULL_WALKS.flatMap((one) =>
  Array.from({ length: walks }, (_, k) => k + 1)
    .filter((seed) => firstDirectionIndex(one, seed, CAUTION_SETTINGS.usual) !== null)
    .map((seed) => `${one.name}, walk ${seed}`),
);
process.stdout.write(JSON.stringify({ walks: walks * NULL_WALKS.length, directed }));
