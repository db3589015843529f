/** What the main thread and the thread that makes pages say to each other, beside what goes over their line. */

/** What the thread is started with. */
export interface ThreadData {
  /** Where it shall listen. */
  address: string;
}

/** What it is told. */
export interface ThreadOrder {
  pages: "close-streams" | "end";
}

/** What it tells: it answers from now on. */
export interface ThreadNews {
  pages: "listening";
}

/** Asked over the line: a public page, for its `PageVariant` and the stamp of the settings that it shall show. */
export const MAKE_PAGE = "make-page";

/** Asked over the line: whether it still goes on. */
export const GOES_ON = "goes-on";
