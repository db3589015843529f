import { LinkButton } from "@/app/_components/button";
import { MissingPageInArea } from "@/app/_components/missing-page";
import { adminPaths } from "@/lib/paths";

/** A 404 page with links of the administrator's area. */
export const MissingPage = () => (
  <MissingPageInArea
    actions={
      <>
        <LinkButton href={adminPaths.overview()} variant="primary">
          Overview
        </LinkButton>
        <LinkButton href={adminPaths.search()}>Search</LinkButton>
      </>
    }
  >
    The link may be old or misspelt, or what it names was removed.
  </MissingPageInArea>
);
