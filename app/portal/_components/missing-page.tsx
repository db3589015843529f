import { LinkButton } from "@/app/_components/button";
import { MissingPageInArea } from "@/app/_components/missing-page";
import { paths } from "@/lib/paths";

/** A 404 page with links of the portal. */
export const MissingPage = () => (
  <MissingPageInArea
    actions={
      <>
        <LinkButton href={paths.portal()} variant="primary">
          Overview
        </LinkButton>
        <LinkButton href={paths.portalSignals()}>Signals</LinkButton>
      </>
    }
  >
    The link may be old or misspelt.
  </MissingPageInArea>
);
