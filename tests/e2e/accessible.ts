import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import axe from "axe-core";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"];
const LOOKS = [
  [1280, "light"],
  [360, "dark"],
] as const;

/** Fails when axe finds anything on the page as it stands, or when the page scrolls sideways. */
export async function expectAccessible(page: Page, what = page.url()): Promise<void> {
  await expectNothingFound(page, (await axeOn(page)).withTags(RULES), what);
}

/**
 * The same at both widths, one in light and one in dark colours. The page is loaded once and then narrowed, as when
 * somebody turns the device: styles alone tell the looks apart.
 */
export async function expectAccessibleInAllLooks(page: Page, load: () => Promise<void>): Promise<void> {
  test.slow();
  for (const [i, [width, colorScheme]] of LOOKS.entries()) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    if (i === 0) await load();
    await expectAccessible(page, `${page.url()} at ${width}, ${colorScheme}`);
  }
}

/**
 * Axe, without what it would write of all that is right. On a page without frames it says what it found in the page
 * itself, instead of joining parts in a page of its own, and is read once for each document: it would be sent and
 * compiled twice for each look.
 */
async function axeOn(page: Page): Promise<AxeBuilder> {
  const options = { resultTypes: ["violations" as const] };
  if (page.frames().length > 1) return new AxeBuilder({ page }).options(options);
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return new AxeBuilder({ page, axeSource: ";" }).options(options).setLegacyMode(true);
}

/** In the page: resolves when no colour is on its way to another any more, which is none that a reader would have to read. */
async function transitionsOver(): Promise<void> {
  // A change of the colour scheme begins its transitions with the next frame.
  for (let frame = 0; frame < 2; frame++) await new Promise((done) => requestAnimationFrame(done));
  const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
  await Promise.allSettled(transitions.map(({ finished }) => finished));
}

async function expectNothingFound(page: Page, rules: AxeBuilder, what: string): Promise<void> {
  // The title comes a moment after the page's first part: a page that was just clicked to may have none yet.
  await expect(page, what).toHaveTitle(/\S/);
  await page.evaluate(transitionsOver);
  const { violations } = await rules.analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`),
    what,
  ).toEqual([]);
  const wider = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(wider, `${what} scrolls sideways`).toBeLessThanOrEqual(0);
}
