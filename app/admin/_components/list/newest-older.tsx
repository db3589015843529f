import { LinkButton } from "@/app/_components/button";

/** Links to the newest and to older rows of a list without page numbers. Renders nothing if all rows are shown. */
export function newestOlderLinks({ newest, older }: { newest: string | null; older: string | null }) {
  if (newest === null && older === null) return null;
  return (
    <nav aria-label="Pages" className="flex gap-2">
      {newest !== null && (
        <LinkButton size="small" href={newest}>
          Newest
        </LinkButton>
      )}
      {older !== null && (
        <LinkButton size="small" href={older}>
          Older
        </LinkButton>
      )}
    </nav>
  );
}
