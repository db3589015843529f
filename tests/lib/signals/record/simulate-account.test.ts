import { describe, expect, it } from "vitest";
import { simulateAccount } from "@/lib/signals/record/simulate-account";

describe("an account risking 1 % of its starting balance per trade", () => {
  it("a simulated account grows by 1 % per R and has its drawdown from its highest balance", () => {
    // 100, 150, 120, 180: the drawdown is 30 of 150.
    expect(simulateAccount([50, 20, 80], 1)).toEqual({ growthPct: 80, drawdownPct: 20 });
  });

  it("a simulated account that never rises has its drawdown from the starting balance", () => {
    expect(simulateAccount([-10, -5], 1)).toEqual({ growthPct: -5, drawdownPct: 10 });
  });

  it("a simulated account stays at zero once it is lost", () => {
    expect(simulateAccount([-100, 300], 1)).toEqual({ growthPct: -100, drawdownPct: 100 });
  });

  it("a simulated account has no growth and no drawdown without a result", () => {
    expect(simulateAccount([], 1)).toEqual({ growthPct: 0, drawdownPct: 0 });
  });
});
