import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { expect, it, vi } from "vitest";
import { gatherLines } from "@/lib/runtime/gathered-lines";

function gathering(bytes: number) {
  const file = join(mkdtempSync(join(tmpdir(), "signal-lines-")), "log");
  const destination = pino.destination({ dest: file, sync: true });
  const write = vi.spyOn(destination, "write");
  gatherLines(destination, bytes);
  return { destination, handedOver: write, written: () => readFileSync(file, "utf8") };
}

it("hands lines over when the next would make them more than a write takes undivided", () => {
  const { destination, handedOver } = gathering(10);
  for (const line of ["1234\n", "6789\n", "€€€\n", "12\n"]) destination.write(line);
  expect(handedOver.mock.calls, "in bytes, not characters").toEqual([["1234\n6789\n"], ["€€€\n"]]);
});

it("loses nothing at the end, and writes nothing twice", () => {
  const { destination, written } = gathering(1_000);
  destination.write("one\n");
  destination.flushSync();
  destination.write("two\n");
  destination.flushSync();
  destination.flushSync();
  expect(written()).toBe("one\ntwo\n");
});
