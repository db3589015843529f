import { describe, expect, it } from "vitest";
import { Together } from "@/lib/runtime/together";
import { Turns } from "@/lib/runtime/turns";
import { DeadlineError, isDatabaseUnavailable } from "@/lib/runtime/unavailable";

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

describe("equal work at once", () => {
  it("is done for the first caller, and once more for all who came meanwhile, each with an answer of its own", async () => {
    const runs: number[] = [];
    const gathering = new Together<string>();
    const work = async (n: number) => {
      runs.push(n);
      await pause(10);
      return Array.from({ length: n }, (_, i) => `${runs.length}/${i}`);
    };
    const answers = await Promise.all(Array.from({ length: 50 }, () => gathering.run("same", work)));
    expect(runs).toEqual([1, 49]);
    expect(new Set(answers).size).toBe(50);
    expect(await gathering.run("same", work)).toBe("3/0");
  });

  it("leaves other keys alone", async () => {
    const gathering = new Together<string>();
    let release = () => {};
    const slow = gathering.run("slow", async () => {
      await new Promise<void>((done) => {
        release = done;
      });
      return ["slow"];
    });
    expect(await gathering.run("other", async () => ["other"])).toBe("other");
    release();
    expect(await slow).toBe("slow");
  });

  it("fails for who gathered as well when the database is away, and not when one run has a reason of its own", async () => {
    const gathering = new Together<string>();
    let nRuns = 0;
    const outcomes = (error: Error) =>
      Promise.allSettled(
        Array.from({ length: 3 }, () =>
          gathering.run("key", async (n) => {
            nRuns++;
            await pause(5);
            if (n === 1) throw error;
            return Array<string>(n).fill("done");
          }),
        ),
      ).then((settled) => settled.map(({ status }) => status));
    expect(await outcomes(new DeadlineError())).toEqual(["rejected", "rejected", "rejected"]);
    expect(nRuns).toBe(1);
    expect(await outcomes(new Error("of its own"))).toEqual(["rejected", "fulfilled", "fulfilled"]);
  });
});

describe("turns", () => {
  const limits = { waitMs: 50, tooLate: () => new RangeError("too late"), endsForAll: isDatabaseUnavailable };

  it("come one after another under one key and at once under two", async () => {
    const turns = new Turns({ ...limits, waitMs: 5_000 });
    let atWork = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++atWork);
      await pause(5);
      atWork--;
    };
    await Promise.all(Array.from({ length: 10 }, () => turns.run("a", work)));
    expect(most).toBe(1);
    await Promise.all([turns.run("a", work), turns.run("b", work)]);
    expect(most).toBe(2);
  });

  it("are waited for a limited time, and those behind still come", async () => {
    const turns = new Turns(limits);
    const slow = turns.run("a", () => pause(100));
    await expect(turns.run("a", async () => "never")).rejects.toThrow("too late");
    const next = turns.run("a", async () => "next");
    await slow;
    expect(await next).toBe("next");
  });

  it("end for all who wait when the first of them finds the database away", async () => {
    const turns = new Turns(limits);
    let nRuns = 0;
    const run = () =>
      turns.run("a", async () => {
        nRuns++;
        await pause(5);
        throw new DeadlineError();
      });
    await Promise.allSettled([run(), run(), run()]);
    expect(nRuns).toBe(1);
  });
});
