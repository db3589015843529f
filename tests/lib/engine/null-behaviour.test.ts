import { setImmediate } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { trainOnWalk, type WalkResult } from "./null-walks";

/** Number of walks, 200 in `npm run test:machine`. */
const WALKS = process.env.FULL_SIZE === "1" ? 200 : 50;
const FIRST_SEED = 10_000;

describe(`on ${WALKS} random walks with fat tails and volatility clusters, without costs`, () => {
  const walks: WalkResult[] = [];

  beforeAll(async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + WALKS; seed++) {
      walks.push(trainOnWalk(seed));
      // A walk takes a third of a second; yielding in between keeps the process responsive to the test runner.
      await setImmediate();
    }
    const promoted = walks.filter((walk) => walk.promoted).length;
    const claims = walks.filter((walk) => walk.claimsDirection).length;
    console.info(`null: ${promoted} of ${walks.length} champions, ${claims} with a directional claim`);
  }, 300_000);

  it("a champion that claims a direction is promoted on at most 5 % of walks", () => {
    expect(walks).toHaveLength(WALKS);
    const claims = walks.filter((walk) => walk.promoted && walk.claimsDirection).length;
    expect(claims / WALKS).toBeLessThanOrEqual(0.05);
  });

  it("a direction is given at any time on at most 5 % of walks", () => {
    expect(walks.filter((walk) => walk.everFollowed).length / WALKS).toBeLessThanOrEqual(0.05);
  });

  it("a champion is promoted on more than 5 % of walks, because movement has a daily rhythm", () => {
    expect(walks.filter((walk) => walk.promoted).length / WALKS).toBeGreaterThan(0.05);
  });

  it("at least 93 % of the intervals for followed signals cover the true win rate", () => {
    const followed = walks.map((walk) => walk.followed).filter((summary) => summary.n > 0);
    const total = followed.reduce((n, summary) => n + summary.n, 0);
    const trueRate = followed.reduce((sum, summary) => sum + summary.winRate * summary.n, 0) / total;
    const covered = followed.filter(
      ({ winRateInterval: [low, high] }) => low <= trueRate && trueRate <= high,
    ).length;
    console.info(
      `null: ${followed.length} intervals, true rate ${trueRate.toFixed(4)}, ` +
        `${((100 * covered) / followed.length).toFixed(1)} % cover it`,
    );
    expect(followed.length).toBeGreaterThan(0.75 * WALKS);
    expect(covered / followed.length).toBeGreaterThanOrEqual(0.93);
  });
});
