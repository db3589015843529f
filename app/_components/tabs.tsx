import { classNames } from "./class-names";

export type Tab = { href: string; label: string; count?: number };

/** Views of one subject, each with its own address. `current` is the href of the current view. */
export function Tabs({ label, tabs, current }: { label: string; tabs: readonly Tab[]; current: string }) {
  return (
    <nav aria-label={label} className="mb-6 overflow-x-auto border-b">
      <ul className="flex gap-6">
        {tabs.map((tab) => {
          const isCurrent = tab.href === current;
          return (
            <li key={tab.href}>
              <a
                href={tab.href}
                aria-current={isCurrent ? "page" : undefined}
                className={classNames(
                  "-mb-px inline-flex h-11 items-center gap-2 border-b-2 text-sm font-medium whitespace-nowrap",
                  isCurrent ? "border-ink text-ink" : "border-transparent text-muted hover:text-ink",
                )}
              >
                {tab.label}
                {tab.count !== undefined && (
                  <span className="rounded-sm bg-sunken px-1.5 text-xs text-muted tabular-nums">
                    {tab.count}
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
