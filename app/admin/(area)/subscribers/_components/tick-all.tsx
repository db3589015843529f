"use client";

/** Ticks every box of the list on this page, or clears them. */
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
