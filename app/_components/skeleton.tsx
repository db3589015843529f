/** A placeholder with the size of the loading content, so that nothing moves when it arrives. */
export function Skeleton({ lines = 3, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div role="status" className="space-y-3">
      <span className="sr-only">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike and never move
          key={line}
          className="h-4 animate-pulse rounded-sm bg-sunken last:w-2/3"
        />
      ))}
    </div>
  );
}

/** A placeholder for a row of headline figures while they load. */
export function SkeletonStats({ count = 4 }: { count?: number }) {
  return (
    <div
      role="status"
      className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line lg:grid-cols-4"
    >
      <span className="sr-only">Loading figures</span>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the places are alike and never move
        <div key={index} className="h-[92px] bg-raised p-5">
          <div className="h-3 w-20 animate-pulse rounded-sm bg-sunken" />
          <div className="mt-3 h-6 w-28 animate-pulse rounded-sm bg-sunken" />
        </div>
      ))}
    </div>
  );
}
