import { describe, expect, it } from "vitest";
import { accountOf } from "@/lib/signals/record/account";

describe("an account risking 1 % of its starting balance per trade", () => {
  it("an account grows by 1 % per R and has its drawdown from its highest balance", () => {
    // 100, 150, 120, 180: the drawdown is 30 of 150.
    expect(accountOf([50, 20, 80], 1)).toEqual({ growthPct: 80, drawdownPct: 20 });
  });

  it("an account that never rises has its drawdown from the starting balance", () => {
    expect(accountOf([-10, -5], 1)).toEqual({ growthPct: -5, drawdownPct: 10 });
  });

  it("an account stays at zero once it is lost", () => {
    expect(accountOf([-100, 300], 1)).toEqual({ growthPct: -100, drawdownPct: 100 });
  });

  it("an account is unchanged before the first result", () => {
    expect(accountOf([], 1)).toEqual({ growthPct: 0, drawdownPct: 0 });
  });
});
