import { describe, expect, it } from "vitest";
import { Places, takePlace } from "@/lib/runtime/places";
import { askEach, Line } from "@/lib/runtime/processes";

describe("places", () => {
  it("are as many as were said, over all who hold one", () => {
    const places = new Places();
    expect([places.take("a", "k", 2), places.take("b", "k", 2), places.take("c", "k", 2)]).toEqual([
      true,
      true,
      false,
    ]);
    places.give("a", "k");
    expect(places.take("c", "k", 2)).toBe(true);
  });

  it("of one who has gone are free again, and those of the others are not", () => {
    const places = new Places();
    for (const holder of ["a", "a", "b"]) places.take(holder, "k", 3);
    places.take("a", "other", 1);
    places.giveAll("a");
    expect([places.take("c", "k", 3), places.take("c", "k", 3), places.take("c", "k", 3)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(places.take("c", "other", 1)).toBe(true);
    // What has been given back already is not given back twice.
    places.give("a", "k");
    expect(places.take("d", "k", 3)).toBe(false);
  });

  it("are given back once, however often that is said", async () => {
    const first = await takePlace("test", 2);
    await takePlace("test", 2);
    expect(await takePlace("test", 2)).toBeNull();
    first?.();
    first?.();
    expect(await takePlace("test", 2)).not.toBeNull();
    expect(await takePlace("test", 2)).toBeNull();
  });
});

describe("a line between two processes", () => {
  /** Two ends; what they send each other is counted. */
  function ends(answer: (name: string, args: unknown[]) => unknown) {
    let sent = 0;
    const asking: Line = new Line(
      (message) => {
        sent++;
        answering.hear(structuredClone(message));
      },
      () => undefined,
    );
    const answering: Line = new Line((message) => asking.hear(structuredClone(message)), answer);
    return { asking, sent: () => sent };
  }

  it("carries all that is asked in one turn in one message, and each answer to who asked", async () => {
    const { asking, sent } = ends((name, [n]) => (name === "double" ? 2 * Number(n) : undefined));
    const answers = await Promise.all([1, 2, 3].map((n) => asking.ask("double", [n])));
    expect(answers).toEqual([2, 4, 6]);
    expect(sent()).toBe(1);
  });

  it("answers what fails, or has no answer, with nothing", async () => {
    const { asking } = ends((name) => (name === "fails" ? Promise.reject(new Error("no")) : undefined));
    expect(await asking.ask("fails", [])).toBeUndefined();
    expect(await asking.ask("unknown", [])).toBeUndefined();
  });

  it("to a process that has gone leaves nobody waiting, and its answer is left out", async () => {
    const silent = new Line(
      () => undefined,
      () => undefined,
    );
    const { asking } = ends(() => "here");
    const asked = askEach([silent, asking], "where", []);
    await new Promise((done) => setImmediate(done));
    silent.close();
    expect(await asked).toEqual(["here"]);
  });

  it("passes over messages that are not its own", () => {
    const line = new Line(
      () => {
        throw new Error("nothing is to be sent");
      },
      () => undefined,
    );
    for (const message of [null, "text", { act: "online" }, { sds: "other" }]) line.hear(message);
  });
});
