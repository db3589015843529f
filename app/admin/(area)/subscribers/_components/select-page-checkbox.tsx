/** Ticks or clears all rows of this page, by `_browser/admin.ts`. */
export function SelectPageCheckbox() {
  return (
    <label className="mr-2 inline-flex min-h-8 items-center gap-2 text-sm noscript:hidden">
      <input type="checkbox" className="size-4" data-tick-all autoComplete="off" />
      Select page
    </label>
  );
}
