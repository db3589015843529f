import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import axe from "axe-core";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"];

/**
 * `lookedAt` is one page for all read-only tests of a worker; its cookies are cleared before each test. A new page for
 * each test takes longer than the check.
 */
export const test = base.extend<{ lookedAt: Page }, { keptPage: Page }>({
  keptPage: [
    async ({ browser }, use) => {
      const page = await browser.newPage();
      await use(page);
      await page.close();
    },
    { scope: "worker" },
  ],
  lookedAt: async ({ keptPage }, use) => {
    await keptPage.context().clearCookies();
    await use(keptPage);
    // The next test must not receive events of this page.
    await keptPage.goto("about:blank");
    keptPage.removeAllListeners();
  },
});

/** Collects errors that no page may have: script errors, refused scripts or styles. */
export function watchPage(page: Page): string[] {
  const trouble: string[] = [];
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (/Content Security Policy/.test(message.text())) trouble.push(message.text());
  });
  return trouble;
}

const LOOKS = [
  [1280, "light"],
  [360, "dark"],
] as const;

/** Fails if axe finds a problem in the current page, or if the page scrolls sideways. */
export async function expectAccessible(page: Page, what = page.url()): Promise<void> {
  await expectNothingFound(page, (await axeOn(page)).withTags(RULES), what);
}

/**
 * Checks the page at 1280 px in light colours and at 360 px in dark ones. The page is loaded once and then resized,
 * because only its styles differ.
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
 * Runs axe without reporting passed rules. On a page without frames axe is injected once per document and returns its
 * results directly, instead of merging the results of frames in another page.
 */
async function axeOn(page: Page): Promise<AxeBuilder> {
  const options = { resultTypes: ["violations" as const] };
  if (page.frames().length > 1) return new AxeBuilder({ page }).options(options);
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return new AxeBuilder({ page, axeSource: ";" }).options(options).setLegacyMode(true);
}

/** In the page: resolves when all colour transitions have ended, because axe measures contrast. */
async function transitionsOver(): Promise<void> {
  // A colour-scheme change starts its transitions with the next frame.
  for (let frame = 0; frame < 2; frame++) await new Promise((done) => requestAnimationFrame(done));
  const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
  await Promise.allSettled(transitions.map(({ finished }) => finished));
}

async function expectNothingFound(page: Page, rules: AxeBuilder, what: string): Promise<void> {
  // The title arrives after the first part of the page, so a page just opened may not have one yet.
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
