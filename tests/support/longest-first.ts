import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, longest first: whichever is begun last, no fork is left alone with one of them. */
const LONGEST = [
  "server/process/start",
  "commands/ingest",
  "authorisation/matrix",
  "lib/signals/record/verify",
  "faults/faults",
  "operate/backup",
  "lib/models/train-and-tick",
  "server/process/embedded-database",
  "api/packed-clients",
  "server/process/worker",
  "lib/signals/feeds/stream",
  "server/process/several-processes",
  "server/reach",
  "commands/engine",
  "lib/payments/sequences",
  "lib/signals/sums-of-days",
  "api/webhook-crash",
  "server/first-fetch",
  "lib/engine/train",
  "lib/signals/complete-horizons",
  "lib/engine/models/pool",
  "fuzz/requests",
  "lib/auth/sign-in",
  "lib/models/advance-demo-market",
  "db/growth-plans",
].map((name) => `tests/${name}.test.ts`);

/** Begins the longest files first; on a fresh clone Vitest knows nothing of what a file takes. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.indexOf(relative(this.ctx.config.root, moduleId));
      return place < 0 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
