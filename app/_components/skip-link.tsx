/** The first link of the page for keyboard users: it skips the navigation. */
export function SkipLink() {
  return (
    <a
      href="#main"
      className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-ink px-4 py-2 text-sm font-medium text-paper focus:translate-y-0"
    >
      Skip to the page
    </a>
  );
}
