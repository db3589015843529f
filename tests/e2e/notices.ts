import type { Locator, Page } from "@playwright/test";

/** The notice of an action that succeeded, found by its role and its tick, so that its words are free to change. */
export const doneNotice = (page: Page): Locator =>
  page.locator("[role=status]:has(.lucide-circle-check:visible)").first();

/** The notice of an action that was refused or needs attention. The framework's own alert has no icon. */
export const alertNotice = (page: Page): Locator => page.locator("[role=alert]:has(svg)").first();

/** The notice over a portal page that has received no update for a while. */
export const outdatedPageNotice = (page: Page): Locator =>
  page.getByText(/^This page was updated/).filter({ visible: true });
