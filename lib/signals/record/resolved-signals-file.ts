import { PublicSignalsQuery } from "@/lib/wire/contracts/record";
import { readResolvedSignals } from "./read-signals";
import { signalsToCsv, signalsToNdjson } from "./serialise-signals";

/** Number of signals per page: few, so that reading a page takes milliseconds. A file consists of many pages. */
const PER_PAGE = "500";

/**
 * Every resolved signal of a slot, newest first, as the pieces of one file. Throws 422 or 404 before the
 * first piece.
 */
export async function resolvedSignalsFile(
  slot: Pick<PublicSignalsQuery, "symbol" | "tf_code" | "model_v" | "entered_later">,
  format: "csv" | "ndjson",
): Promise<AsyncGenerator<string, void>> {
  const { entered_later, ...named } = slot;
  const parsed = {
    ...PublicSignalsQuery.parse({ ...named, order: "newest", limit: PER_PAGE }),
    ...(entered_later !== undefined && { entered_later }),
  };
  // Only text is kept between two pieces: parsed pages that wait for a slow reader would pile up in memory.
  const read = async (after?: number) => {
    const page = await readResolvedSignals(after === undefined ? parsed : { ...parsed, after });
    const text = format === "csv" ? signalsToCsv(page, after === undefined) : signalsToNdjson(page);
    return { text, next: page.next };
  };
  let piece = await read();
  return (async function* pieces() {
    for (;;) {
      yield piece.text;
      if (piece.next === null) return;
      piece = await read(piece.next);
    }
  })();
}
