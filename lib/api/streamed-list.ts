import type { z } from "zod";
import { errorFacts, log } from "@/lib/runtime/log";
import { streamText } from "@/lib/runtime/stream-text";
import { type Answer, jsonAnswer, serialiseBody } from "./answer";

/**
 * Streams a list of any length as `{ "count": n, [name]: [...] }`, page by page, so that memory is bounded and other
 * requests run in between. An error in the first page becomes a normal error answer. A later one breaks the answer off,
 * so that a client cannot mistake half a list for the whole.
 */
export async function respondWithStreamedList<S extends z.ZodType>(
  name: string,
  item: S,
  { count, pages }: { count: number; pages: AsyncGenerator<z.output<S>[], void> },
): Promise<Answer> {
  const first = await pages.next();
  return jsonAnswer(streamText(listText(name, item, count, first, pages)));
}

async function* listText<S extends z.ZodType>(
  name: string,
  item: S,
  count: number,
  first: IteratorResult<z.output<S>[], void>,
  pages: AsyncGenerator<z.output<S>[], void>,
): AsyncGenerator<string, void> {
  let written = 0;
  try {
    yield `{"count":${count},${JSON.stringify(name)}:[`;
    for (let page = first; !page.done; page = await pages.next()) {
      const text = page.value.map((value) => serialiseBody(item, value)).join(",");
      if (text !== "") yield written === 0 ? text : `,${text}`;
      written += page.value.length;
    }
    if (written !== count) throw new Error("the list differs in length from its count");
    yield "]}";
  } catch (error) {
    log("error", "a streamed list failed", { error: errorFacts(error) });
    throw error;
  } finally {
    await pages.return();
  }
}
