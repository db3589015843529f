"use client";

/** Ticks or clears all rows of this page. */
export function TickAll() {
  return (
    <label className="mr-2 inline-flex min-h-8 items-center gap-2 text-sm">
      <input
        type="checkbox"
        className="size-4"
        onChange={({ target: { checked, form } }) => {
          for (const box of form?.querySelectorAll<HTMLInputElement>('input[name="ids"]') ?? [])
            box.checked = checked;
        }}
      />
      Select page
    </label>
  );
}
