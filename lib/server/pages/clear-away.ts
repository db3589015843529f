import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { PageMaker } from "./page-maker";

type Collect = (how: { type: "minor" }) => void;

/**
 * The same maker, which clears away what its pages left behind in the moments when none is being made. Nearly nothing of it
 * lives then. In the middle of a page all of it does, and would be carried to what is old, which only a look at the whole
 * heap clears away (decision 337).
 */
export function clearingAway(maker: PageMaker, collect: Collect = collector()): PageMaker {
  let underWay = 0;
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    underWay++;
    try {
      return await work();
    } finally {
      // After whatever else waits for its turn: the answer leaves first.
      if (--underWay === 0) setImmediate(() => underWay === 0 && collect({ type: "minor" }));
    }
  };
  return {
    // A handler may send for hours, and leaves little behind.
    answer: (request, response, asked) =>
      asked.isHandler
        ? maker.answer(request, response, asked)
        : counted(() => maker.answer(request, response, asked)),
    make: (variant) => counted(() => maker.make(variant)),
  };
}

/** The collector of this thread, which has no name until it is asked for. */
function collector(): Collect {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}
