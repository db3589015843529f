import { randomBytes } from "node:crypto";
import { pageRequest } from "@/lib/runtime/page-request";
import { pageTexts } from "@/lib/runtime/page-texts";

/** Stands before the number of a text. Nobody else can write it: it is made at the start and never leaves the process. */
const MARK = `text-${randomBytes(16).toString("hex")}-`;
/** A shorter one is carried as cheaply as its mark. */
const LONG = 500;

/**
 * From now on the long texts of a page whose request has a list for them are put there, and only a mark goes through the
 * framework, which would carry each text as data and as HTML, and write the data into the page as well.
 */
export function holdTexts(): void {
  pageTexts.held = (html) => {
    const texts = pageRequest.getStore()?.texts;
    return texts === undefined || html.length < LONG ? html : `${MARK}${texts.push(html) - 1};`;
  };
}

/** The page with its texts in their places. */
export function withTexts(html: string, texts: readonly string[]): string {
  const [first = "", ...rest] = html.split(MARK);
  return rest.reduce((page, piece) => {
    const end = piece.indexOf(";");
    return `${page}${texts[Number(piece.slice(0, end))] ?? ""}${piece.slice(end + 1)}`;
  }, first);
}
