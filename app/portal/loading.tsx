import { Skeleton, SkeletonStats } from "../_components/skeleton";

/** Holds the place of a page while it is made. */
export default function PortalLoading() {
  return (
    <div aria-busy="true">
      <div className="mb-8 h-9 w-44 animate-pulse rounded-md bg-sunken" />
      <SkeletonStats />
      <div className="mt-6 rounded-lg border bg-raised p-6">
        <Skeleton lines={8} />
      </div>
    </div>
  );
}
