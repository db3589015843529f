import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync("app/globals.css", "utf8");

type Side = "light" | "dark";
const SIDES: Side[] = ["light", "dark"];

/** The light and the dark colour of each token of the stylesheet, in hexadecimal. */
const tokens = new Map(
  [...css.matchAll(/--color-([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map((match) => [
    match[1]!,
    { light: match[2]!, dark: match[3]! },
  ]),
);

/** Relative luminance of an sRGB colour, WCAG 2.2. */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

/** Contrast ratio of two tokens, 1..21, WCAG 2.2. */
function contrast(one: string, other: string, side: Side): number {
  const pair = [one, other].map((name) => {
    const token = tokens.get(name);
    if (!token) throw new Error(`no token --color-${name}`);
    return luminance(token[side]);
  });
  return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
}

const TEXT = ["ink", "muted", "faint", "accent", "up", "down", "warn", "danger"];
const GROUNDS = ["paper", "raised", "sunken"];

describe.each(SIDES)("colours of the %s theme", (side) => {
  it.each(TEXT.flatMap((text) => GROUNDS.map((ground) => [text, ground] as const)))(
    "%s text on %s has a contrast of at least 4.5",
    (text, ground) => {
      expect(contrast(text, ground, side)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it.each(["accent", "up", "down", "warn", "danger"])(
    "%s text on its own soft ground has a contrast of at least 4.5",
    (name) => {
      expect(contrast(name, `${name}-soft`, side)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it.each(["accent", "up", "down", "warn", "danger"])(
    "ink and muted text on the soft ground of %s have a contrast of at least 4.5",
    (name) => {
      expect(contrast("ink", `${name}-soft`, side)).toBeGreaterThanOrEqual(4.5);
      expect(contrast("muted", `${name}-soft`, side)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it.each(GROUNDS)("the border of a control has a contrast of at least 3 on %s", (ground) => {
    expect(contrast("edge", ground, side)).toBeGreaterThanOrEqual(3);
  });

  it("the text of a primary button has a contrast of at least 4.5", () => {
    expect(contrast("paper", "ink", side)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(["protanopia", "deuteranopia"] as const)(
    "the colours of up and down are distinguishable with %s",
    (kind) => {
      const up = tokens.get("up")![side];
      const down = tokens.get("down")![side];
      expect(distanceSeenWith(kind, up, down)).toBeGreaterThan(25);
    },
  );
});

// Dichromat simulation in linear RGB: Viénot, Brettel and Mollon 1999, without their reduction of blue.
const SEEN = {
  protanopia: [
    [0.11238, 0.88762, 0],
    [0.11238, 0.88762, 0],
    [0.00401, -0.00401, 1],
  ],
  deuteranopia: [
    [0.29275, 0.70725, 0],
    [0.29275, 0.70725, 0],
    [-0.02234, 0.02234, 1],
  ],
} as const;

/** CIE76 distance in Lab (D65) of two colours as seen by a dichromat; 2.3 is just noticeable. */
function distanceSeenWith(kind: keyof typeof SEEN, one: string, other: string): number {
  const [a, b] = [one, other].map((hex) => {
    const rgb = [1, 3, 5].map((at) => {
      const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
    });
    const [red, green, blue] = SEEN[kind].map((row) =>
      Math.min(1, Math.max(0, row[0] * rgb[0]! + row[1] * rgb[1]! + row[2] * rgb[2]!)),
    ) as [number, number, number];
    const x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047;
    const y = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    const z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883;
    const [fx, fy, fz] = [x, y, z].map((value) =>
      value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116,
    ) as [number, number, number];
    return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
  }) as [number[], number[]];
  return Math.hypot(...a.map((value, index) => value - b[index]!));
}

it("every colour of the theme is a light and dark pair", () => {
  const declared = [...css.matchAll(/--color-([a-z-]+):/g)].map((match) => match[1]!);
  const others = declared.filter((name) => !tokens.has(name) && !["transparent", "current"].includes(name));
  expect(tokens.size).toBeGreaterThan(15);
  expect(others).toEqual([]);
});
